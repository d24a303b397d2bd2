/** Runs as root of the namespaces that `leaks.child.ts` made: mounts empty temporary folders, then runs the rounds. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { findCgroupParent } from '../../src/sandbox/launch/cgroup.ts'
import { commandLines } from '../../src/sandbox/test-sandbox.ts'
import { until } from '../fixtures/until.ts'
import { buildHouse } from './doomed-house.ts'
import { reap } from './reaper.ts'
import { type LeakReport, runRounds } from './rounds.ts'
import { added, PLACES, traces } from './traces.ts'

const [rounds = '', seed = '', owner = '', ...become] = process.argv.slice(2)
const RAISE_LOOPBACK = `socket my $any, 2, 2, 0 or die $!;
my $lo = pack 'a16 s x22', 'lo', 0x41;
ioctl $any, 0x8914, $lo or die $!`
execFileSync('perl', ['-e', RAISE_LOOPBACK])
for (const place of PLACES) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'cordon-leaks', place])
}
const report = Number(rounds) === 0 ? await leaveTraces() : await runAll()
process.stdout.write(JSON.stringify(report))

async function runAll(): Promise<LeakReport> {
  const house = buildHouse(become, Number(owner))
  return await runRounds(house, { rounds: Number(rounds), seed: Number(seed) })
}

/** Leaves one trace of every kind on purpose, to prove that each kind would be found. */
async function leaveTraces(): Promise<Pick<LeakReport, 'processes' | 'traces'>> {
  const before = traces(new Set())
  const mark = `61.${process.pid}` // other programs of the machine sleep as well
  const daemon = `setsid sh -c "env -i setsid sleep ${mark} & :" & exec sleep 62`
  const reaped = await reap([...become, 'sh', '-c', daemon], { PATH: process.env['PATH'] ?? '' })
  await until(() => commandLines().split('\n').includes(`sleep ${mark} `))
  process.kill(reaped.pid, 'SIGKILL')
  const processes = await reaped.left
  const cgroups = findCgroupParent()
  // Named after this process, which lives: another Cordon of the machine sweeps groups whose owner has ended.
  const cgroup = cgroups && `${cgroups.folder}/cordon-${process.pid}-00`
  if (cgroup) mkdirSync(cgroup)
  for (const place of PLACES) writeFileSync(`${place}/left-behind`, '')
  mkdirSync('/dev/shm/mounted')
  execFileSync('mount', ['-t', 'tmpfs', 'left-behind', '/dev/shm/mounted'])
  const addresses = [{ path: '/dev/shm/left.sock' }, { port: 0, host: '127.0.0.1' }]
  const servers = addresses.map((address) => createServer().listen(address))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const found = added(before, traces(new Set([process.pid])))
  for (const server of servers) server.close()
  if (cgroup) rmdirSync(cgroup)
  return { processes, traces: found }
}
