import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExposing } from './is-exposing.ts'

const EXPOSING = [
  'public',
  'isPublic',
  'make_public',
  'ISPublic',
  'publishNow',
  'published',
  'private',
  'privacy-level',
  'is_private',
  'share',
  'sharedWith',
  'visibility',
  'visibleTo',
  'force',
  'forcePush',
  'admin',
  'is_admin',
  'adminRights',
  'role',
  'roles',
  'permission',
  'permissionLevel',
  'notify',
  'notifications',
  'notifyAll',
  'send',
  'sendUpdates',
  'send_copy_2',
  'recipient_kind',
  'to',
  'bcc',
  'delete',
  'deleteSource',
  'overwrite',
  'overwriteExisting',
  'ｐｕｂｌｉｃ',
]

const PLAIN = [
  'unread',
  'urgent',
  'priority',
  'format',
  'sort',
  'order',
  'status',
  'total',
  'tomorrow',
  'call',
  'calendar',
  'allDay',
  'sentiment',
  'category',
  'done',
  'archived',
  'language',
  '',
]

test('an argument that exposes, overrides or sends is known by a word of its name', () => {
  for (const name of EXPOSING) assert.ok(isExposing(name), name)
})

test('an ordinary name is not taken for one', () => {
  for (const name of PLAIN) assert.ok(!isExposing(name), name)
})
