import assert from 'node:assert/strict'
import test from 'node:test'
import { parseLenientJson } from '../import/lenient-json.ts'
import { putMember, removeMember } from './put-member.ts'

test('removeMember() takes whole lines and leaves comments and the other members as they were', () => {
  const text = `{
  // kept
  "a": 1,
  "b": { "x": [1, 2] }, // about b
  "c": 3
}
`
  assert.equal(removeMember(text, ['a']), text.replace('  "a": 1,\n', ''))
  assert.equal(
    removeMember(text, ['b']),
    text.replace('  "b": { "x": [1, 2] }, // about b', ' // about b'),
  )
  assert.equal(removeMember(text, ['c']), text.replace(' }, // about b\n  "c": 3', ' } // about b'))
  assert.equal(removeMember(text, ['b', 'x']), text.replace('{ "x": [1, 2] }', '{  }'))
  assert.equal(removeMember(text, ['none']), text)
})

test('putMember() follows the indentation and the line ends of the text, and keeps a trailing comma', () => {
  const four = '{\r\n    "servers": {\r\n        "a": {}, // first\r\n    },\r\n}\r\n'
  assert.equal(
    putMember(four, ['servers', 'b'], { command: 'x' }),
    four.replace(
      '// first\r\n',
      '// first\r\n        "b": {\r\n            "command": "x"\r\n        }\r\n',
    ),
  )
  assert.equal(putMember('{"a":1}', ['b'], 2), '{"a":1, "b": 2}')
  assert.equal(putMember('{}', ['b'], 2), '{\n  "b": 2\n}')
  assert.equal(putMember('', ['k', 'b'], 2), '{\n  "k": {\n    "b": 2\n  }\n}\n')
  assert.equal(
    putMember('{\n\t"a": 1\n}', ['k', 'b'], 2),
    '{\n\t"a": 1,\n\t"k": {\n\t\t"b": 2\n\t}\n}',
  )
})

test('a member that was put in and taken out again leaves the text as it was', () => {
  const texts = [
    '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  },\n  "z": [1, {"y": "}"}]\n}\n',
    '{\n  "mcpServers": {\n    "a": {}\n  }\n}',
  ]
  for (const text of texts) {
    const put = putMember(text, ['mcpServers', 'cordon'], { command: 'c', args: ['{"'] })
    assert.deepEqual((parseLenientJson(put) as { mcpServers: object }).mcpServers, {
      ...(parseLenientJson(text) as { mcpServers: object }).mcpServers,
      cordon: { command: 'c', args: ['{"'] },
    })
    assert.equal(removeMember(put, ['mcpServers', 'cordon']), text)
  }
})
