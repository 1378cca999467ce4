/** An environment of Lambda: takes events as lines of JSON, one at a time, and writes their results. The function's module is named. */
import { createInterface } from 'node:readline';

const { handler } = await import(process.argv[2] as string);
for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ result: await handler(JSON.parse(line)) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
