/** The problems of installing a Python package: the codes of every install, with hints for pip's settings. */
import { CordonError } from '../../kernel/error.ts'
import { cannotInstall, type InstallProblem } from '../install/install-errors.ts'

const HINTS: Partial<Readonly<Record<InstallProblem, string>>> = {
  'registry-setting':
    'Run `pip config set global.index-url` with an https address that has a host name',
  'registry-proxy': 'Check `pip config get global.proxy` and HTTPS_PROXY, then try again',
  'registry-login':
    'Write the login into `pip config set global.index-url` or ~/.netrc, so that `pip download` works',
  'registry-unreachable': 'Check the network and run `pip config list`, then try again',
  'registry-certificate':
    'Run `pip config set global.cert FILE` with the authority of your network, then try again',
  'install-failed': 'Read the end of logs/cordon.log in the home folder, then try again',
}

/** `what` is a package with its version; `why` a clause without a full stop. */
export function cannotInstallPython(
  problem: InstallProblem,
  what: string,
  why: string,
  cause?: unknown,
): CordonError {
  const error = cannotInstall(problem, what, why, cause)
  const hint = HINTS[problem]
  if (hint === undefined) return error
  return new CordonError(
    error.code,
    { exit: error.exit, hint, why },
    `Cannot install ${JSON.stringify(what)}`,
    cause,
  )
}

export function noPython(what: string, cause?: unknown): CordonError {
  return new CordonError(
    'catalog.no-python',
    {
      exit: 5,
      hint: 'Install Python 3.9 or later, on Debian by `apt install python3 python3-pip`, then try again',
      why: 'it needs Python, and this machine has no python3 that Cordon can use',
    },
    `Cannot install ${JSON.stringify(what)}`,
    cause,
  )
}
