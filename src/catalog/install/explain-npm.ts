/**
 * The reason why npm failed, by its error code, in one sentence with the way forward. npm's own text goes only into the
 * cause; of it, the name of a package is repeated where it has the form of one. Pure.
 */
import type { CordonError } from '../../kernel/error.ts'
import { cannotInstall, type InstallProblem } from './install-errors.ts'
import { nameIn } from './name-in.ts'
import type { Registry } from './registry.ts'
import { NPM_MEMORY_BYTES, type NpmResult } from './run-npm.ts'

/** `look-up`: the package itself; `resolve`: what it needs; `fetch`: the archives that were found a moment ago. */
export type NpmStep = 'look-up' | 'resolve' | 'fetch'

export interface Attempt {
  readonly what: string
  readonly registry: Pick<Registry, 'host' | 'proxy'>
  readonly step: NpmStep
}

type Reason = readonly [problem: InstallProblem, why: string]
type Explain = (attempt: Attempt, said: Saying) => Reason

const REASONS: ReadonlyMap<string, Explain> = new Map(
  Object.entries<Explain>({
    E404: missing,
    ETARGET: missing,
    ENOVERSIONS: missing,
    EINTEGRITY: () => ['integrity', 'what came is not what the npm registry announced'],
    E401: login,
    E403: login,
    ENEEDAUTH: login,
    EALLOWGIT: foreign,
    EALLOWREMOTE: foreign,
    EALLOWFILE: foreign,
    EALLOWDIRECTORY: foreign,
    ENOSPC: full,
    EDQUOT: full,
    EFBIG: () => ['unsafe-package', 'one of its files is larger than 2 GiB'],
    EBADPLATFORM: () => ['bad-package', 'it is not made for this kind of machine'],
    ERESOLVE: () => ['bad-package', 'the packages it needs contradict each other'],
    EJSONPARSE: nonsense,
    FETCH_ERROR: (attempt, said) =>
      /timeout/i.test(said.text) ? slow(attempt) : nonsense(attempt, said),
    TAR_BAD_ARCHIVE: damaged,
    Z_DATA_ERROR: damaged,
    Z_BUF_ERROR: damaged,
    E429: ({ registry }) => unreachable(registry, 'wants fewer requests'),
  }),
)

const SLOW = /^(ETIMEDOUT|EIDLETIMEOUT|ERR_SOCKET_TIMEOUT|ECONNECTIONTIMEOUT|ERESPONSETIMEOUT)$/
const CUT_OFF = /^(ECONNRESET|EPIPE|ERR_STREAM\w*|ERR_SOCKET\w*|UND_ERR\w*)$/
const NETWORK = /^(EAI_AGAIN|ENOTFOUND|ECONN\w+|EHOSTUNREACH|ENETUNREACH)$/
const TLS = /CERT|SELF_SIGNED|UNABLE_TO_|SSL|TLS/

export function explainNpm(attempt: Attempt, result: NpmResult): CordonError {
  const said = sayingOf(result)
  const found = blockedReason(attempt, result) ?? reasonFor(attempt, said, result)
  const [problem, why] = found
  return cannotInstall(problem, attempt.what, why, new Error(said.text))
}

/** The registry is allowed by name, so a refused connection to it means an address that nothing may reach. */
function blockedReason({ registry }: Attempt, { blocked, failed }: NpmResult): Reason | undefined {
  const [first] = blocked
  if (first === undefined)
    return failed[0] === undefined ? undefined : failedReason(registry, failed[0])
  if (!first.endsWith(` ${registry.host}`)) return foreign()
  return ['registry-setting', `the npm registry ${shown(registry)} is at a special address`]
}

/** In Cordon's own words: nobody is there under that name, or the owner's proxy does not lead there. */
function failedReason(registry: Attempt['registry'], reason: string): Reason {
  if (reason.startsWith('your proxy')) {
    const { host, port } = registry.proxy ?? { host: '', port: 0 }
    const proxy = JSON.stringify(`${host}:${port}`)
    return ['registry-proxy', reason.replace('your proxy', `your proxy ${proxy}`)]
  }
  const why = reason === 'host cannot be resolved' ? 'has no address' : 'does not answer'
  return unreachable(registry, why)
}

function reasonFor(attempt: Attempt, said: Saying, { end }: NpmResult): Reason {
  const { code } = said
  const { registry } = attempt
  if (end.kind === 'memory') {
    const limit = `${NPM_MEMORY_BYTES / 2 ** 30} GiB`
    return ['unsafe-package', `npm needed more than ${limit} of memory for it`]
  }
  const explain = REASONS.get(code)
  if (explain) return explain(attempt, said)
  if (/^E5\d\d$/.test(code)) return unreachable(registry, `answers with status ${code.slice(1)}`)
  if (SLOW.test(code)) return slow(attempt)
  if (CUT_OFF.test(code)) return unreachable(registry, 'broke off in the middle of an answer')
  if (NETWORK.test(code)) return unreachable(registry, 'does not answer')
  if (TLS.test(code)) {
    const why = `the certificate of ${shown(registry)} is not one that your npm settings or this machine trust`
    return ['registry-certificate', why]
  }
  return ['install-failed', /^[A-Z_]{2,40}$/.test(code) ? `npm ended with ${code}` : 'npm gave up']
}

function unreachable(registry: Attempt['registry'], why: string): Reason {
  return ['registry-unreachable', `the npm registry ${shown(registry)} ${why}`]
}

function slow({ registry }: Attempt): Reason {
  return unreachable(registry, 'was silent for too long')
}

function nonsense({ registry }: Attempt, { text }: Saying): Reason {
  const isPage = /<(?:!doctype|html|head|body)|token '?<|"<"/i.test(text)
  const what = isPage ? 'a web page' : 'something that is not JSON'
  return unreachable(registry, `answers with ${what} where a package is asked for`)
}

function login({ registry }: Attempt): Reason {
  return ['registry-login', `the npm registry ${shown(registry)} asks for a login`]
}

function foreign(): Reason {
  return ['unsafe-package', 'part of it would come from outside the npm registry']
}

function full(): Reason {
  return ['disk-full', 'the disk is full']
}

function damaged(): Reason {
  return ['bad-package', 'its archive is damaged']
}

/** Which package or version is missing, and since when. */
function missing({ step, registry }: Attempt, { text }: Saying): Reason {
  const name = nameIn(text)
  const which = name === undefined ? 'something it needs' : JSON.stringify(name)
  if (step === 'look-up') {
    return ['no-such-package', `the npm registry ${shown(registry)} has no such package or version`]
  }
  if (step === 'fetch') {
    return ['vanished', `${which} was in the npm registry a moment ago and is gone`]
  }
  return /with a date before/.test(text)
    ? [
        'bad-package',
        `it needs ${which}, of which every fitting version was published in the last days`,
      ]
    : ['bad-package', `it needs ${which}, which is not in the npm registry ${shown(registry)}`]
}

function shown({ host }: Attempt['registry']): string {
  return JSON.stringify(host)
}

interface Saying {
  readonly code: string
  readonly text: string
}

const CODE_LINE = /^npm error code (\S+)$/m
const LONGEST = 4000

/** `--json` makes npm print `{"error":{"code":…}}`; an error before argument parsing is only a line of text. */
function sayingOf({ stdout, stderr }: NpmResult): Saying {
  const lines = stderr.split('\n').filter((line) => !line.startsWith('npm http '))
  const text = `${lines.join('\n')}\n${stdout}`.slice(-LONGEST)
  try {
    const { error } = JSON.parse(stdout) as { error?: { code?: unknown } }
    if (typeof error?.code === 'string') return { code: error.code, text }
  } catch {
    // not JSON: the line on stderr has the code
  }
  return { code: CODE_LINE.exec(stderr)?.[1] ?? '', text }
}
