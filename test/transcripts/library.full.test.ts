/** The package as a program uses it: built, typed, imported by its name; the example of the docs runs unchanged. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { environmentFor, finish, root } from '../fixtures/cordon.ts'
import { type FlowCordon, openFlowCordon } from '../fixtures/flow-cordon.ts'

const tool = (name: string) => path.join(root, 'node_modules', '.bin', name)

/** A project with Cordon in its `node_modules`, as npm would put it there. */
function install(project: string): void {
  const installed = path.join(project, 'node_modules', 'cordon')
  mkdirSync(installed, { recursive: true })
  // Declarations only: `npm run check` judges the types.
  execFileSync(tool('tsc'), ['-b', 'src', '--noCheck'], { cwd: root })
  const dist = path.join(installed, 'dist')
  execFileSync(tool('rolldown'), ['-c', 'rolldown.config.ts', '-d', dist], { cwd: root })
  copyFileSync(path.join(root, 'package.json'), path.join(installed, 'package.json'))
  // Packages that are not in the bundle, and the types of Node.
  for (const name of ['npm', '@napi-rs', '@types', 'undici-types']) {
    symlinkSync(path.join(root, 'node_modules', name), path.join(project, 'node_modules', name))
  }
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}')
}

const TYPED = `import { openCordon, type Cordon, type Json } from 'cordon'
export async function use(): Promise<number> {
  const cordon: Cordon = await openCordon({ home: '/nowhere' })
  const found = await cordon.call<{ total: number }>('github.search_code', { query: 'x' })
  const { outputs } = await cordon.run('a >> b', { key: ['any', 'json'] })
  const one: Json | undefined = outputs['result']
  // @ts-expect-error -- a tool is named by a text
  await cordon.call(7)
  // @ts-expect-error -- there is no such answer
  await cordon.call('a.b', {}, { approval: 'always' })
  await cordon.close()
  return one === null ? 0 : found.total
}
`

const FLAG = '--disallow-code-generation-from-strings'

/** Prints whether this process itself holds the lock of the home. */
const IN_PROCESS = `import { readFileSync } from 'node:fs'
import { openCordon } from 'cordon'
await using cordon = await openCordon({ dangerouslyInProcess: true })
await cordon.check('echo')
const lock = readFileSync(process.env.CORDON_HOME + '/run/cordon.lock', 'utf8')
process.stdout.write(String(Number(/\\d+/.exec(lock)?.[0]) === process.pid))
`

async function runFile(
  cordon: FlowCordon,
  file: string,
): Promise<{ code: number | null; stdout: string }> {
  const env = environmentFor(cordon.home)
  const args = [file, cordon.folder]
  const child = spawn(process.execPath, args, { cwd: cordon.folder, env })
  const { code, stdout, stderr } = await finish(child)
  return { code, stdout: stdout + stderr }
}

test('CODE-1: the example compiles, and runs over the kernel that is there, or over one that it starts', async () => {
  await using cordon = await openFlowCordon({ isReal: true })
  install(cordon.folder)
  for (const file of ['count-files.ts', 'tsconfig.json'])
    copyFileSync(path.join(root, 'docs', 'examples', file), path.join(cordon.folder, file))
  writeFileSync(path.join(cordon.folder, 'typed.ts'), TYPED)
  execFileSync(tool('tsc'), ['-p', '.'], { cwd: cordon.folder, stdio: 'inherit' })

  for (const hasKernel of [true, false]) {
    if (!hasKernel) await cordon.ask(['down'])
    const { code, stdout } = await runFile(cordon, 'count-files.ts')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^one call: \d+ characters$/m)
    assert.match(stdout, /^the flow makes sense$/m)
    assert.match(stdout, /^ {2}needs list-path \(string\)$/m)
    assert.match(stdout, /^ {2}~files\.write-file: /m)
    assert.match(stdout, /^run [0-9a-f-]{36} gave path$/m)
    assert.match(readFileSync(path.join(cordon.folder, 'listing.txt'), 'utf8'), /count-files\.ts/)
    // The program has ended. The kernel it used lives on as another process, and cannot turn text into code.
    const { pid } = await cordon.ask<{ pid: number }>(['status'])
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    assert.ok(words.includes(FLAG), words.join(' '))
  }

  await cordon.ask(['down'])
  writeFileSync(path.join(cordon.folder, 'in-process.ts'), IN_PROCESS)
  assert.deepEqual(await runFile(cordon, 'in-process.ts'), { code: 0, stdout: 'true' })
  assert.equal((await cordon.run(['status'])).code, 5, 'nothing lives on after it')
})
