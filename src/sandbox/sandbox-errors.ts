/** The sandbox's refusals, each with a hint what to do. Never carries a value of the server's environment. */
import type { DoctorCheck } from '../text/doctor-check.ts'
import { CordonError } from '../kernel/error.ts'
import type { ServerId } from '../kernel/server-id.ts'

export function missingTool(name: string, debianPackage: string): CordonError {
  return new CordonError(
    'sandbox.missing',
    { exit: 5, hint: `Run \`sudo apt-get install ${debianPackage}\`, then try again` },
    `Cannot find ${JSON.stringify(name)}, without which no local server is started`,
  )
}

export function noSandbox(broken: DoctorCheck, cause: unknown): CordonError {
  return new CordonError(
    'sandbox.namespaces',
    {
      exit: 5,
      hint: `Mend ${broken.name} (${broken.remedy ?? 'see `cordon doctor`'}), then try again`,
    },
    'Cannot make a sandbox on this machine',
    cause,
  )
}

export function noContainer(server: ServerId): CordonError {
  return new CordonError(
    'sandbox.container',
    {
      exit: 2,
      hint: 'Set `mode = "bwrap"` in the [sandbox] section of the server, or start an image with `docker run`',
    },
    `Cannot start ${JSON.stringify(server)} in a container: it names no image`,
  )
}

export function noConsent(server: ServerId): CordonError {
  return new CordonError(
    'sandbox.unsandboxed',
    {
      exit: 3,
      hint: `Remove \`mode = "none"\` from its [sandbox] section, or run \`cordon mcp unsandbox ${server}\``,
    },
    `Cannot start ${JSON.stringify(server)} without a sandbox: its owner has not agreed to that`,
  )
}

export function noBrowser(server: ServerId): CordonError {
  return new CordonError(
    'sandbox.no-browser',
    {
      exit: 5,
      hint: 'Run `sudo apt-get install chromium`, or install Google Chrome, then try again',
    },
    `Cannot start ${JSON.stringify(server)}: it needs a browser, and there is none on this machine`,
  )
}

export function noSuchCommand(command: string): CordonError {
  return new CordonError(
    'sandbox.command',
    { exit: 5, hint: 'Install the program, or correct `command` in the definition of the server' },
    `Cannot find the program ${JSON.stringify(command)}`,
  )
}

export function notExecutable(command: string, cause: unknown): CordonError {
  return new CordonError(
    'sandbox.command',
    { exit: 5, hint: `Run \`chmod +x ${command}\`, or name its interpreter as the command` },
    `Cannot run ${JSON.stringify(command)}: it is not an executable file`,
    cause,
  )
}

export function noInstaller(command: string): CordonError {
  return new CordonError(
    'sandbox.npx',
    {
      exit: 2,
      hint: 'Install the package first, then set `command = "node"` and the path of its script in `args`',
    },
    `Cannot run ${JSON.stringify(command)} in a sandbox: it downloads programs, and a server may not`,
  )
}

export function pathRefused(wanted: string, reason: string): CordonError {
  return new CordonError(
    'sandbox.path',
    { exit: 2, hint: 'Correct the paths in the [sandbox] section of the server' },
    `Cannot show ${JSON.stringify(wanted)} to the server: ${reason}`,
  )
}

export function startFailed(server: ServerId, cause: unknown): CordonError {
  return new CordonError(
    'sandbox.start',
    { exit: 5, hint: 'Run `cordon doctor`, and see the last lines of `cordon mcp logs`' },
    `Cannot start ${JSON.stringify(server)} in its sandbox`,
    cause,
  )
}
