/**
 * The systemd user unit of Cordon: installed, looked at, removed. An install can be repeated; a removal undoes what the
 * install did and nothing else. Where no systemd of the user runs, nothing is written and the error says what to do.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CordonError } from '../../kernel/error.ts'
import { writeWholeFile } from '../whole-file.ts'
import { ownsLingering, type UnitFacts, unitText } from './unit-text.ts'

export interface Ran {
  /** Undefined if the program is not there. */
  readonly code: number | undefined
  readonly output: string
}

export interface UnitDeps {
  readonly run: (program: 'systemctl' | 'loginctl', args: readonly string[]) => Promise<Ran>
  /** `~/.config/systemd/user` */
  readonly folder: string
  readonly user: string
  readonly facts: Omit<UnitFacts, 'isLingeringOurs'>
}

export interface UnitState {
  readonly path: string
  readonly isInstalled: boolean
  readonly isEnabled: boolean
  readonly isActive: boolean
  /** Starts with the machine, before anybody logs in. */
  readonly isLingering: boolean
}

export interface Unit {
  /** `start`: also now. `linger`: also before the user logs in. */
  install(wish: { readonly start: boolean; readonly linger: boolean }): Promise<UnitState>
  status(): Promise<UnitState>
  /** False if there was none. */
  remove(): Promise<boolean>
}

const NAME = 'cordon.service'

export function createUnit(deps: UnitDeps): Unit {
  const path = join(deps.folder, NAME)
  const read = (): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
  const systemctl = async (...args: readonly string[]): Promise<void> => {
    const { code, output } = await deps.run('systemctl', ['--user', ...args])
    if (code !== 0) throw systemdFailed(args.join(' '), output)
  }
  const says = async (word: string): Promise<boolean> =>
    (await deps.run('systemctl', ['--user', word, NAME])).code === 0
  const status = async (): Promise<UnitState> => ({
    path,
    isInstalled: (await read()) !== undefined,
    isEnabled: await says('is-enabled'),
    isActive: await says('is-active'),
    isLingering: await isLingering(deps),
  })
  return {
    status,
    async install({ start, linger }) {
      await requireSystemd(deps)
      const before = await read()
      const isMissing = linger && !(await isLingering(deps))
      if (isMissing) await enableLingering(deps)
      const isOurs = isMissing || (before !== undefined && ownsLingering(before))
      const text = unitText({ ...deps.facts, isLingeringOurs: isOurs })
      if (text !== before) await writeWholeFile(path, text)
      await systemctl('daemon-reload')
      await systemctl('enable', NAME)
      if (start)
        await systemctl(before !== undefined && text !== before ? 'restart' : 'start', NAME)
      return await status()
    },
    async remove() {
      const before = await read()
      if (before === undefined) return false
      await requireSystemd(deps)
      await systemctl('disable', '--now', NAME)
      await rm(path, { force: true })
      await systemctl('daemon-reload')
      if (ownsLingering(before)) await deps.run('loginctl', ['disable-linger', deps.user])
      return true
    },
  }
}

async function requireSystemd({ run, facts, user }: UnitDeps): Promise<void> {
  const { code } = await run('systemctl', ['--user', 'show-environment'])
  if (code === 0) return
  const environment = Object.entries(facts.environment).map(([name, value]) => `${name}=${value}`)
  const line = ['@reboot', ...environment, ...facts.command].map(shellQuoted).join(' ')
  const [what, how] =
    code === undefined
      ? ['this machine has no systemd', 'Add this line to `crontab -e` instead']
      : [
          'the systemd of your user does not run, as after `su` or `sudo`',
          `Log in as ${user} directly, or run \`sudo loginctl enable-linger ${user}\` and then \`export XDG_RUNTIME_DIR=/run/user/$(id -u)\`, and try again; or add this line to \`crontab -e\``,
        ]
  throw new CordonError(
    'home.no-systemd',
    { exit: 5, hint: `${how}: ${line}` },
    `Cannot manage the service: ${what}`,
  )
}

async function isLingering({ run, user }: UnitDeps): Promise<boolean> {
  const { output } = await run('loginctl', ['show-user', user, '--property=Linger'])
  return output.includes('Linger=yes')
}

async function enableLingering({ run, user }: UnitDeps): Promise<void> {
  const { code, output } = await run('loginctl', ['enable-linger', user])
  if (code === 0) return
  throw new CordonError(
    'home.no-linger',
    {
      exit: 5,
      hint: `Run \`sudo loginctl enable-linger ${user}\`, then try again; or add \`--no-linger\` to start it when you log in`,
    },
    'Cannot let Cordon start before you log in',
    output,
  )
}

function systemdFailed(what: string, output: string): CordonError {
  return new CordonError(
    'home.systemd-failed',
    { exit: 5, hint: 'See why with `journalctl --user -u cordon -n 50`' },
    `Cannot manage the service: \`systemctl --user ${what}\` failed`,
    output,
  )
}

function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
