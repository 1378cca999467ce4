"""Answers each line of standard input with the main content that Trafilatura finds, and the CPU that it took."""
import base64
import json
import sys
import time

import trafilatura

for line in sys.stdin:
    question = json.loads(line)
    html = base64.b64decode(question['html'])
    before = time.process_time()
    try:
        text = trafilatura.extract(html, url=question['url'], include_comments=True) or ''
    except Exception:
        # A page that it cannot read has no main content.
        text = ''
    answer = {'id': question['id'], 'text': text, 'cpuMs': 1000 * (time.process_time() - before)}
    sys.stdout.write(json.dumps(answer) + '\n')
    sys.stdout.flush()
