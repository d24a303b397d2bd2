/** The reason why npm failed, by its error code; npm's own text goes only into the cause. Pure. */
import type { CordonError } from '../../kernel/error.ts'
import { cannotInstall, type InstallProblem } from './install-errors.ts'
import type { NpmResult } from './run-npm.ts'

type Reason = readonly [problem: InstallProblem, why: string]

const UNREACHABLE: Reason = ['registry-unreachable', 'the npm registry does not answer']
const CERTIFICATE: Reason = [
  'registry-certificate',
  "the npm registry's certificate is not one that this machine trusts",
]
const LOGIN: Reason = ['registry-login', 'the npm registry asks for a login']
const FOREIGN: Reason = ['unsafe-package', 'part of it would come from outside the npm registry']
const MISSING: Reason = ['no-such-package', 'the npm registry has no such package or version']
const INCOMPLETE: Reason = [
  'bad-package',
  'something it needs is not in the npm registry, or was published in the last days',
]
const BROKEN: Reason = ['registry-unreachable', 'the npm registry answers nonsense']

const REASONS: ReadonlyMap<string, Reason> = new Map(
  Object.entries<Reason>({
    E404: MISSING,
    ETARGET: MISSING,
    ENOVERSIONS: MISSING,
    EINTEGRITY: ['integrity', 'what came is not what the npm registry announced'],
    E401: LOGIN,
    E403: LOGIN,
    ENEEDAUTH: LOGIN,
    EALLOWGIT: FOREIGN,
    EALLOWREMOTE: FOREIGN,
    EALLOWFILE: FOREIGN,
    EALLOWDIRECTORY: FOREIGN,
    ENOSPC: ['disk-full', 'the disk is full'],
    EDQUOT: ['disk-full', 'the disk is full'],
    EBADPLATFORM: ['bad-package', 'it is not made for this kind of machine'],
    ERESOLVE: ['bad-package', 'the packages it needs contradict each other'],
    EJSONPARSE: BROKEN,
    FETCH_ERROR: BROKEN,
    TAR_BAD_ARCHIVE: ['bad-package', 'its archive is damaged'],
    Z_DATA_ERROR: ['bad-package', 'its archive is damaged'],
  }),
)

const NETWORK = /^(E5\d\d|E429|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONN\w+|EIDLETIMEOUT|ERR_SOCKET\w*)$/
const TLS = /CERT|SELF_SIGNED|UNABLE_TO_|SSL/

export interface Attempt {
  readonly what: string
  /** The host of the registry. */
  readonly host: string
  /** Whether the package itself was found, so that a 404 is about a dependency. */
  readonly isKnown?: boolean
}

export function explainNpm({ what, host, isKnown }: Attempt, result: NpmResult): CordonError {
  const said = sayingOf(result)
  const cause = new Error(said.text)
  const found = blockedReason(host, result) ?? reasonFor(said.code, result)
  const [problem, why] = isKnown && found === MISSING ? INCOMPLETE : found
  return cannotInstall(problem, what, why, cause)
}

/** The proxy allows the registry by name, so a refused connection to it means a private address. */
function blockedReason(host: string, { blocked }: NpmResult): Reason | undefined {
  const [first] = blocked
  if (first === undefined) return undefined
  if (!first.endsWith(` ${host}`)) return FOREIGN
  return ['registry-private', `the npm registry ${JSON.stringify(host)} is in a private network`]
}

function reasonFor(code: string, { end }: NpmResult): Reason {
  const known = REASONS.get(code)
  if (known) return known
  if (NETWORK.test(code)) return UNREACHABLE
  if (TLS.test(code)) return CERTIFICATE
  if (end.kind === 'memory') return ['install-failed', 'npm needed more memory than it may have']
  return ['install-failed', 'npm gave up']
}

const CODE_LINE = /^npm error code (\S+)$/m

/** `--json` makes npm print `{"error":{"code":…}}`; an error before argument parsing is only a line of text. */
function sayingOf({ stdout, stderr }: NpmResult): { readonly code: string; readonly text: string } {
  const text = `${stderr}\n${stdout}`.slice(0, 4000)
  try {
    const { error } = JSON.parse(stdout) as { error?: { code?: unknown } }
    if (typeof error?.code === 'string') return { code: error.code, text }
  } catch {
    // not JSON: the line on stderr has the code
  }
  return { code: CODE_LINE.exec(stderr)?.[1] ?? '', text }
}
