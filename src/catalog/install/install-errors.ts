/** The problems of an install, as errors. Output of npm or a registry goes into the cause, never into the message. */
import { CordonError, type ErrorSpec } from '../../kernel/error.ts'

const TRY_AGAIN = 'Check the network and run `npm config get registry`, then try again'

export type InstallProblem =
  | 'no-such-package'
  | 'vanished'
  | 'bad-package'
  | 'name-taken'
  | 'integrity'
  | 'unsafe-package'
  | 'registry-setting'
  | 'registry-proxy'
  | 'registry-login'
  | 'registry-unreachable'
  | 'registry-certificate'
  | 'disk-full'
  | 'read-only'
  | 'install-failed'

const SPECS: Readonly<Record<InstallProblem, ErrorSpec & { readonly code: string }>> = {
  'no-such-package': {
    code: 'catalog.no-such-package',
    exit: 2,
    hint: 'Check its name and version with `cordon registry search`',
  },
  vanished: {
    code: 'catalog.vanished',
    exit: 5,
    hint: 'Nothing was installed: try again in some minutes, or ask its publisher',
  },
  'bad-package': {
    code: 'catalog.bad-package',
    exit: 2,
    hint: 'Look for another one with `cordon registry search`',
  },
  'name-taken': {
    code: 'catalog.name-taken',
    exit: 2,
    hint: 'Run `cordon package list`: where no server uses the other one, `cordon package prune`',
  },
  integrity: {
    code: 'catalog.integrity',
    exit: 3,
    hint: 'Do not use it: run `cordon registry search` for another one, or ask its publisher',
  },
  'unsafe-package': {
    code: 'catalog.unsafe-package',
    exit: 3,
    hint: 'Look for another one with `cordon registry search`',
  },
  'registry-setting': {
    code: 'catalog.registry-setting',
    exit: 2,
    hint: 'Run `npm config set registry` with an https address that has a host name',
  },
  'registry-proxy': {
    code: 'catalog.registry-proxy',
    exit: 5,
    hint: 'Check `npm config get https-proxy` and HTTPS_PROXY, then try again',
  },
  'registry-login': {
    code: 'catalog.registry-login',
    exit: 5,
    hint: 'Run `npm login` for that registry, so that `npm view` works, then try again',
  },
  'registry-unreachable': { code: 'catalog.registry-unreachable', exit: 5, hint: TRY_AGAIN },
  'registry-certificate': {
    code: 'catalog.registry-certificate',
    exit: 5,
    hint: 'Run `npm config set cafile FILE` with the authority of your network, then try again',
  },
  'disk-full': {
    code: 'catalog.disk-full',
    exit: 5,
    hint: 'Free some space there (see `cordon doctor`), then try again',
  },
  'read-only': {
    code: 'catalog.read-only',
    exit: 5,
    hint: 'Make the folder writable for you, or point CORDON_HOME at one that is',
  },
  'install-failed': {
    code: 'catalog.install-failed',
    exit: 5,
    hint: 'Read what npm said at the end of logs/cordon.log in the home folder, then try again',
  },
}

/** `what` is a package with its version, or a folder; `why` a clause without a full stop. */
export function cannotInstall(
  problem: InstallProblem,
  what: string,
  why: string,
  cause?: unknown,
): CordonError {
  const spec = SPECS[problem]
  return new CordonError(
    spec.code,
    { ...spec, why },
    `Cannot install ${JSON.stringify(what)}`,
    cause,
  )
}

export const TAMPERED = 'catalog.tampered'

/** The hint is to install the package again, which only the owner decides. */
export function tampered(folder: string, why: string, cause?: unknown): CordonError {
  return new CordonError(
    TAMPERED,
    { exit: 3, hint: `Run \`rm -r '${folder}'\`, then \`cordon connect\` it again` },
    `Cannot use ${JSON.stringify(folder)}: ${why}`,
    cause,
  )
}

export function notOurs(folder: string): CordonError {
  return new CordonError(
    'catalog.not-installed',
    { exit: 2, hint: 'Run `cordon package list` to see what is installed' },
    `Cannot find an installed package in ${JSON.stringify(folder)}`,
  )
}

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const NOT_WRITABLE = new Set(['EROFS', 'EACCES', 'EPERM'])

/** Turns errnos of the disk into errors of this room; other errors pass unchanged. */
export function explainDisk(what: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (FULL.has(code)) return cannotInstall('disk-full', what, 'the disk is full', error)
  if (!NOT_WRITABLE.has(code)) return error
  return cannotInstall('read-only', what, 'the packages of this home cannot be written', error)
}
