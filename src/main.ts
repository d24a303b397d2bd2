/** The entry: reads the environment, turns signals into an abort, runs one command line. Contains no rules. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { runCli } from './cli/run-cli.ts'
import { createSurface } from './house/create-surface.ts'

const DEFAULT_PORT = '19275'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

const controller = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => controller.abort())
}
// Node opens its debugger on this signal unless a listener is set, and a command may hold a secret in memory.
process.on('SIGUSR1', () => undefined)

const surface = createSurface({
  version,
  homePath: path.resolve(process.env['CORDON_HOME'] || path.join(homedir(), '.cordon')),
  port: process.env['CORDON_PORT'] || DEFAULT_PORT,
  databaseUrl: process.env['DATABASE_URL'] || undefined,
  environment: process.env,
  entry: process.argv[1] ?? '',
})

process.exitCode = await runCli(process.argv.slice(2), surface, controller.signal)
