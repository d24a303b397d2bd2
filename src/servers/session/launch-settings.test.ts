import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { fillInSettings } from './launch-settings.ts'

function fill(parts: Partial<ServerDefinition>): ReturnType<typeof fillInSettings> {
  return fillInSettings({ id: 'it', args: [], env: {}, config: {}, ...parts } as ServerDefinition)
}

test('a setting stands where the definition names it, in arguments and in the environment', () => {
  const config = { root: '/srv', port: 80, deep: { on: true }, paths: ['/a', '/b c'], odd: '$&' }
  const args = ['--root=${config.root}', '${config.paths}', '${user_config.root}', '$config.root']
  const env = { A: '${config.port}:${config.deep.on}', B: '${config.paths}', C: '${config.odd}' }
  assert.deepEqual(fill({ config, args, env }), {
    args: ['--root=/srv', '/a', '/b c', '/srv', '$config.root'],
    env: { A: '80:true', B: '["/a","/b c"]', C: '$&' },
    unused: [],
  })
})

test('the value of a setting is not expanded again', () => {
  const config = { a: '${config.b}', b: 'secret of b' }
  assert.deepEqual(fill({ config, args: ['${config.a}'] }), {
    args: ['${config.b}'],
    env: {},
    unused: ['b'],
  })
})

test('a setting that is not there, is a secret or ends a text is refused without its value', () => {
  for (const [config, why] of [
    [{}, /"x" of server "it": it is not under \[config\]$/],
    [{ x: 'vault:hidden' }, /a secret goes under \[auth\]$/],
    [{ x: ['plain', 'env:HIDDEN'] }, /a secret goes under \[auth\]$/],
    [{ x: 'hid\0den' }, /it holds the character NUL$/],
  ] as const) {
    for (const place of [{ args: ['${config.x}'] }, { env: { A: '${config.x}' } }]) {
      assert.throws(() => fill({ config, ...place }), { code: 'servers.config', message: why })
    }
  }
  const inherited = { args: ['${config.__proto__}', '${config.constructor}'] }
  assert.throws(() => fill(inherited), { code: 'servers.config' })
})

test('the folders of the sandbox stand for one argument, so that each is named once', () => {
  const sandbox = (readPaths: readonly string[], writePaths: readonly string[]) =>
    ({ readPaths, writePaths }) as unknown as ServerDefinition['sandbox']
  const args = ['x.js', '${folders}', '--at=${folders}']
  assert.deepEqual(fill({ args, sandbox: sandbox(['/a', '/b'], ['/b', '/c']) }).args, [
    'x.js',
    '/b',
    '/c',
    '/a',
    '--at=${folders}',
  ])
  assert.throws(() => fill({ args, sandbox: sandbox([], []) }), { code: 'servers.no-folder' })
})
