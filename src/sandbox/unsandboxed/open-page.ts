/**
 * Opens a page in the browser of the person's own desktop session: without a sandbox and without a shell. Opens https
 * pages only, and nothing over ssh, where the browser would be on the wrong machine.
 */
import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** The program that hands a link to the desktop's browser; undefined if there is no desktop session. */
export function browserFor(environment: Environment, platform: string): string | undefined {
  const isRemote =
    environment['SSH_CONNECTION'] !== undefined || environment['SSH_TTY'] !== undefined
  if (isRemote) return undefined
  if (platform === 'darwin') return 'open'
  const hasDesktop = Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY'])
  return platform === 'linux' && hasDesktop ? 'xdg-open' : undefined
}

/** False if no browser was started. Does not wait for it. */
export function openPage(url: string, environment: Environment): Promise<boolean> {
  const program = browserFor(environment, process.platform)
  if (program === undefined || URL.parse(url)?.protocol !== 'https:') return Promise.resolve(false)
  const options = { stdio: 'ignore', detached: true, env: { ...environment } } as const
  const child = spawn(program, [url], options)
  child.unref()
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => resolve(true))
  })
}
