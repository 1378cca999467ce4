import { expect, test } from 'vitest';
import { isChangeUrl } from '../../../shared/core/access/change-urls.ts';

test.each([
  ['/wp-admin/post.php?post=1&action=trash&_wpnonce=166fd37900', true],
  ['/wp-admin/plugins.php?action=deactivate&plugin=a', true],
  ['/wp-admin/comment.php?action=trashcomment&c=1', true],
  ['/doku.php?id=start&do=subscribe&sectok=0163', true],
  ['/index.php?title=A&action=rollback&from=B&token=c', true],
  ['/course/view.php?id=2&sesskey=abc', true],
  ['/posts/12/delete', true],
  ['/posts/delete/12/', true],
  ['/cart?remove=5', true],
  ['/shaare/delete?id=1', true],
  ['/admin/shaare/1/pin?token=297fc7bd', true],
  ['/a?mode=unsubscribe', true],
  ['/moderation.php?action=close&my_post_key=a', true],
  ['/a?_csrf=b', true],
  ['/index.php?topic=1.0;action=deletemsg;msg=2', true],
  ['/wp-admin/post.php?post=1&action=edit', false],
  ['/index.php?topic=1.0;action=profile', false],
  ['/wp-admin/edit.php?trashed=1&ids=1', false],
  ['/doku.php?do=media&sectok=', false],
  ['/index.php?title=A&action=history', false],
  ['/index.php?action=watchlist', false],
  ['/video?action=watch&v=1', false],
  ['/files/a.html?token=abc', false],
  ['/docs/delete', false],
  ['/admin/shaare/1?token=', false],
  ['/blog/how-to-delete-a-page', false],
  ['/search?q=delete', false],
])('%s changes something: %s', (path, expected) => {
  expect(isChangeUrl(`https://a.test${path}`)).toBe(expected);
});
