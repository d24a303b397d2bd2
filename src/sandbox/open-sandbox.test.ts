import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { commandLines, listen, openTestSandbox, until } from './test-sandbox.ts'

const { folder, launch, run } = await openTestSandbox()

const refusal = (code: string) => (error: unknown) => {
  assert.equal((error as { code?: string }).code, code)
  assert.ok((error as { hint?: string }).hint)
  return true
}

test('launch() gives a program exactly its own environment, and nothing of ours', async () => {
  const text = await run('env', [], { environment: { TOKEN: 'a=b\nc', LD_PRELOAD: '/none.so' } })
  const names = text.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
  assert.deepEqual(names.sort(), [
    'HOME',
    'LANG',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'PATH',
    'TMPDIR',
    'TOKEN',
    'TZ',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
    'npm_config_cache',
  ])
  assert.match(text, /^TOKEN=a=b\nc$/m)
})

test('SANDBOX-7: launch() shows a secret or an argument in no command line but the program’s own', async () => {
  const running = await launch('sleep', ['31536001'], { environment: { TOKEN: 'tok-7d1f' } })
  await until(() => commandLines().includes('sleep 31536001'))
  assert.doesNotMatch(commandLines(), /tok-7d1f/)
  assert.equal(commandLines().match(/31536001/g)?.length, 1)
  assert.doesNotMatch(readFileSync(`/proc/${running.pid}/environ`, 'utf8'), /tok-7d1f/)
  await running.stop()
})

test('launch() passes arguments as they are: empty, with spaces, with quotes, with line breaks', async () => {
  const args = ['', ' a  b ', '"\'$HOME`id`', 'x\ny', '--', '-e']
  const show = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
  assert.deepEqual(JSON.parse(await run('node', ['-e', show, '--', ...args])), args)
})

test('launch() runs Node servers on Cordon’s own Node', async () => {
  assert.equal(await run('node', ['-p', 'process.version']), `${process.version}\n`)
})

test('launch() hands the listener over before the first line of the program runs', async () => {
  const connect =
    'socket(S,2,1,0); connect(S,pack("S n C4 x8",2,3128,127,0,0,1)) or die $!; sysread S,$_,9; print'
  for (let round = 0; round < 10; round++) {
    const running = await launch('perl', ['-e', connect], { networked: true })
    const heard = listen(running)
    running.connections?.onConnection((connection) => connection.end('welcome'))
    assert.deepEqual(await running.ended, { kind: 'exited', code: 0 }, heard.errors)
    assert.equal(heard.text, 'welcome')
  }
})

test('launch() gives listeners that Cordon can close while the program runs', async () => {
  const connect = 'sub c { socket(S,2,1,0); connect(S,pack("S n C4 x8",2,3128,127,0,0,1)) }'
  const running = await launch('perl', ['-e', `$|=1; ${connect} print c(); <>; print c() || $!`], {
    networked: true,
  })
  const heard = listen(running)
  await until(() => heard.text === '1')
  running.connections?.close()
  running.stdin.end('\n')
  assert.deepEqual(await running.ended, { kind: 'exited', code: 0 }, heard.errors)
  assert.equal(heard.text, '1Connection refused')
})

test('SANDBOX-3: launch() without a network gives no listener and no proxy', async () => {
  const running = await launch('sh', ['-c', 'env; cat /proc/net/tcp'])
  const heard = listen(running)
  await running.ended
  assert.equal(running.connections, undefined)
  assert.doesNotMatch(heard.text, /proxy|0C38/i)
})

test('launch() sees a server’s own package and no neighbour of it', async () => {
  const app = path.join(folder, 'app')
  mkdirSync(path.join(app, 'lib'), { recursive: true })
  writeFileSync(path.join(app, 'package.json'), '{}')
  writeFileSync(path.join(app, 'lib', 'part.js'), 'module.exports = "part"')
  writeFileSync(path.join(folder, 'neighbour'), 'private')
  const script = path.join(app, 'main.js')
  writeFileSync(
    script,
    `console.log(require('./lib/part.js'), require('fs').readdirSync(${JSON.stringify(folder)}))`,
  )
  assert.equal(await run('node', [script]), "part [ 'app' ]\n")
})

test('launch() mounts declared folders as declared, and refuses private ones by any name', async () => {
  const [data, secret] = [path.join(folder, 'data'), path.join(folder, 'home', '.ssh')]
  mkdirSync(data)
  mkdirSync(secret, { recursive: true })
  chmodSync(data, 0o777)
  symlinkSync(secret, path.join(folder, 'innocent'))
  const write = ['-c', `echo new > ${data}/file`]
  await run('sh', write, { settings: { writePaths: [data] } })
  assert.equal(readFileSync(path.join(data, 'file'), 'utf8'), 'new\n')
  const readOnly = await launch('sh', write, { settings: { readPaths: [data] } })
  assert.notEqual((await readOnly.ended).kind === 'exited' && (await readOnly.ended), { code: 0 })
  for (const wanted of [
    secret,
    path.join(folder, 'innocent'),
    path.join(folder, 'home'),
    '/',
    'data',
    `${data}/../data`,
    path.join(folder, 'gone'),
  ]) {
    const settings = { readPaths: [wanted] }
    await assert.rejects(launch('true', [], { settings }), refusal('sandbox.path'), wanted)
  }
})

test('launch() shows a server an installed package, and lets none write to it', async () => {
  const packages = path.join(folder, 'home', '.cordon', 'packages')
  const [done, part] = [path.join(packages, 'x@1'), path.join(packages, '.part-1', 'tree')]
  for (const place of [done, part]) {
    mkdirSync(place, { recursive: true })
    chmodSync(place, 0o777)
  }
  writeFileSync(path.join(done, 'main.js'), '')
  assert.equal(await run('ls', [done], { settings: { readPaths: [done] } }), 'main.js\n')
  symlinkSync(done, path.join(folder, 'elsewhere'))
  for (const wanted of [done, packages, path.join(folder, 'elsewhere')]) {
    const settings = { writePaths: [wanted] }
    await assert.rejects(launch('true', [], { settings }), refusal('sandbox.path'), wanted)
  }
  await run('touch', [path.join(part, 'file')], { settings: { writePaths: [part] } })
})

test('launch() gives scratch space as asked: /tmp or none, /work only when not read-only', async () => {
  const look = ['-c', 'ls -d /tmp /work 2>/dev/null; pwd; true']
  assert.equal(await run('sh', look), '/tmp\n/home/mcp\n')
  assert.equal(await run('sh', look, { settings: { allowTmp: false } }), '/home/mcp\n')
  assert.equal(await run('sh', look, { settings: { readOnlyFs: false } }), '/tmp\n/work\n/work\n')
})

test('launch() refuses what it cannot run, each with the way forward', async () => {
  const plain = path.join(folder, 'plain')
  writeFileSync(plain, 'text')
  await assert.rejects(launch('no-such-program', []), refusal('sandbox.command'))
  await assert.rejects(launch(path.join(folder, 'none'), []), refusal('sandbox.command'))
  await assert.rejects(launch(plain, []), refusal('sandbox.command'))
  await assert.rejects(launch('./relative', []), refusal('sandbox.command'))
  await assert.rejects(launch('npx', ['-y', 'thing']), refusal('sandbox.npx'))
  await assert.rejects(launch('true', ['a\0b']), refusal('sandbox.arguments'))
  await assert.rejects(
    launch('true', [], { settings: { mode: 'container' } }),
    refusal('sandbox.container'),
  )
  await assert.rejects(
    launch('true', [], { settings: { mode: 'none' } }),
    refusal('sandbox.unsandboxed'),
  )
})

test('a server may use worker threads where a group holds its memory', async (t) => {
  const script = `
    const { Worker } = require('node:worker_threads')
    const work = () => new Promise((resolve) => new Worker('0', { eval: true }).once('exit', resolve))
    Promise.all([work(), work(), work()]).then((codes) => process.stdout.write(codes.join()))`
  const running = await launch('node', ['-e', script])
  const heard = listen(running)
  await running.ended
  if (running.memoryLayer === 'rlimit+watchdog') t.skip('this machine lets us make no groups')
  else assert.equal(heard.text, '0,0,0')
})

test('launch() says how a program ended that ended at once', async () => {
  const ending = async (script: string) => await (await launch('sh', ['-c', script])).ended
  assert.deepEqual(await ending('exit 7'), { kind: 'exited', code: 7 })
  assert.deepEqual(await ending('kill -TERM $$'), { kind: 'signalled', signal: 'SIGTERM' })
})

test('with its owner’s word a server runs bare, in a group that ends as one', async () => {
  const wishes = {
    dangerouslyUnsandboxed: true,
    settings: { mode: 'none' },
    environment: { TOKEN: 'x' },
  } as const
  const names = (await run('env', [], wishes))
    .split('\n')
    .flatMap((line) => line.split('=')[0] || [])
  assert.deepEqual(names.sort(), ['HOME', 'NODE_OPTIONS', 'PATH', 'TOKEN'])
  const running = await launch('sh', ['-c', 'sleep 31536005 & sleep 31536005'], wishes)
  await until(() => commandLines().includes('31536005'))
  await running.stop()
  assert.doesNotMatch(commandLines(), /31536005/)
})

test('a server of a Cordon that is root sees a package that only root can walk to', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const hidden = path.join(folder, 'rootonly')
  const app = path.join(hidden, 'app')
  mkdirSync(app, { recursive: true })
  chmodSync(hidden, 0o700)
  writeFileSync(path.join(app, 'package.json'), '{"type":"commonjs"}')
  writeFileSync(path.join(app, 'main.js'), 'console.log(process.getuid(), __dirname)')
  assert.equal(await run('node', [path.join(app, 'main.js')]), `1000 ${app}\n`)
  const running = await launch('node', [path.join(app, 'main.js')])
  assert.deepEqual(await running.stop(), { kind: 'exited', code: 0 })
  chmodSync(app, 0o700)
  await assert.rejects(launch('node', [path.join(app, 'main.js')]), refusal('sandbox.path'))
})

test('SANDBOX-2: a process in a sandbox is never the host’s root', async () => {
  const running = await launch('sleep', ['31536006'])
  const status = readFileSync(`/proc/${running.pid}/status`, 'utf8')
  assert.doesNotMatch(status, /^[UG]id:.*\b0\b/m)
  await running.stop()
})

/** Bubblewrap processes that this test process started, or orphans; other tests run their own at the same time. */
function leftOvers(): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, state, parent] = stat.slice(stat.lastIndexOf(')')).split(' ')
      const isOurs = parent === '1' || Number(parent) === process.pid
      return stat.includes('(bwrap)') && state !== 'Z' && isOurs
    } catch {
      return false
    }
  })
}

test('launch() leaves nothing behind when it is aborted at any moment', async () => {
  for (const afterMs of [0, 1, 2, 4, 6, 8, 12]) {
    const abort = new AbortController()
    const wishes = { networked: true, signal: abort.signal }
    const launching = launch('sleep', ['31536004'], wishes).then(
      async (running) => await running.stop(),
      () => undefined,
    )
    await delay(afterMs)
    abort.abort()
    await launching
  }
  await until(() => !commandLines().includes('31536004') && leftOvers().length === 0)
})

test('INSTALL-4: nothing of a process runs before the word is given, and nothing ever where it is refused', async () => {
  const place = path.join(folder, 'word')
  mkdirSync(place)
  chmodSync(place, 0o777)
  const seen = path.join(place, 'ran')
  const settings = { writePaths: [place] }
  const word = Promise.withResolvers<void>()
  const starting = launch('touch', [seen], { settings, goAhead: () => word.promise })
  await delay(300)
  assert.deepEqual(readdirSync(place), [])
  word.resolve()
  await (await starting).ended
  assert.deepEqual(readdirSync(place), ['ran'])

  const never = path.join(place, 'never-ran')
  const goAhead = () => delay(100).then(() => assert.fail('it was changed'))
  await assert.rejects(launch('touch', [never], { settings, goAhead }), /it was changed/)
  assert.deepEqual(readdirSync(place), ['ran'])
  assert.ok(!commandLines().includes(never)) // whole: another run on the machine has such a file, too
})
