/** Runs `systemctl` or `loginctl` of this machine, without a sandbox and without a shell, for the unit of Cordon itself. */
import { execFile } from 'node:child_process'

const LONGEST_MS = 60_000

export interface SystemdCommand {
  readonly program: 'systemctl' | 'loginctl'
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The code is undefined if the program is not there. */
export function runSystemd({
  program,
  args,
  environment,
}: SystemdCommand): Promise<{ readonly code: number | undefined; readonly output: string }> {
  const options = { env: { ...environment, LC_ALL: 'C' }, timeout: LONGEST_MS }
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`
      if (!error) return resolve({ code: 0, output })
      const isMissing = error.code === 'ENOENT' || error.code === 'EACCES'
      resolve({ code: isMissing ? undefined : Number(error.code) || 1, output })
    })
  })
}
