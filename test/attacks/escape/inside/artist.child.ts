/**
 * The escape artist: a server that tries to break out. It runs inside the sandbox, makes the attempts named in its
 * argument, and prints one line of JSON for each way it tried. Everything is bounded.
 */
import { mustReach } from './ask.ts'
import { CORNERS } from './corners.ts'
import { FILES } from './files.ts'
import { KERNEL } from './kernel.ts'
import { NETWORK } from './network.ts'
import { PAGES } from './pages.ts'
import { type Aim, type Attempts, judge } from './probe.ts'
import { PROXY } from './proxy.ts'
import { PROXY_LOAD } from './proxy-load.ts'
import { SOCKETS } from './sockets.ts'

const ATTEMPTS: Attempts = {
  ...CORNERS,
  ...FILES,
  ...KERNEL,
  ...NETWORK,
  ...PAGES,
  ...PROXY,
  ...PROXY_LOAD,
  ...SOCKETS,
}

const aim = JSON.parse(process.argv[2] ?? '') as Aim
if (aim.reachable) await mustReach(aim.proxyPort, aim.reachable)
for (const number of aim.attempts) {
  for (const [name, probe] of Object.entries(ATTEMPTS[number]?.(aim) ?? {})) {
    process.stdout.write(`${JSON.stringify({ number, name, verdict: await judge(probe) })}\n`)
  }
}
process.kill(process.pid, 'SIGKILL') // an attempt may have left a handle open
