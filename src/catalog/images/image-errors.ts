/** The problems of installing an image: the codes of every install, with hints for images. */
import { CordonError } from '../../kernel/error.ts'
import { cannotInstall, type InstallProblem } from '../install/install-errors.ts'

const AGAIN = 'Check the network and the name of the registry in the image, then try again'

const HINTS: Partial<Readonly<Record<InstallProblem, string>>> = {
  'no-such-package': 'Check the name and the tag of the image; a private one cannot be pulled',
  'registry-setting': 'Name an image of a registry that has a full host name and uses https',
  'registry-proxy': 'Check HTTPS_PROXY, then try again',
  'registry-login':
    'Cordon pulls public images only: ask the publisher for one, or for an npm or Python package',
  'registry-unreachable': AGAIN,
  'registry-certificate':
    'Set NODE_EXTRA_CA_CERTS to the authority of your network for Cordon, then try again',
  'install-failed': 'Read the end of logs/cordon.log in the home folder, then try again',
}

/** `what` is an image with its tag; `why` a clause without a full stop. */
export function cannotInstallImage(
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
