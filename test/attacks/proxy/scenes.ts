/**
 * The scene of each attempt on the proxy: the allow-list, the addresses that names resolve to, and the observations
 * from outside afterwards. The attempts themselves are made by a program inside the sandbox.
 */
import { networkInterfaces } from 'node:os'
import type { EgressParts } from '../../../src/egress/create-egress.ts'
import { getThrough, type Outside } from '../../../src/egress/test-outside.ts'
import { until } from '../../fixtures/until.ts'
import { got, stopped, type Verdict, type Verdicts } from '../escape/verdict.ts'
import { openListener, strangeBytes } from './listener.ts'

export interface Scene extends Partial<Disposable> {
  readonly allowed: readonly string[]
  /** An allowed host that must answer before any refusal counts. */
  readonly reachable?: string
  readonly changes?: Partial<EgressParts>
  /** Parameters for the attempt, passed to the escape artist. */
  readonly words?: Readonly<Record<string, string>>
  /** The proxy is disposed as soon as the server has started. */
  readonly gone?: boolean
  /** Runs a second server, with its own proxy, that may reach a host forbidden to the artist. */
  readonly neighbour?: boolean
  /** `blocked`: messages to the owner about blocked requests. */
  during?(blocked: readonly string[]): Promise<void>
  witness?(blocked: readonly string[]): Verdicts
}

const ALLOWED = 'allowed.example'
const PUBLIC = '93.184.216.34'
const usual = { allowed: [ALLOWED], reachable: ALLOWED }
const onlyPublic = { dangerouslyAllowAddress: () => false, limits: { newPerSecond: 1000 } }

const PRIVATE_ADDRESSES = [
  ['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254'],
  ['0.0.0.0', '::1', 'fe80::1', 'fd00:ec2::254', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1'],
  ['::ffff:10.0.0.1', '2002:7f00:1::1'],
].flat()

function lookups({ queries }: Outside): Verdict {
  const others = queries.filter((name) => name !== ALLOWED)
  return others.length > 0 ? got(`lookups of ${others.join(' ')}`) : stopped('no lookup')
}

function told(blocked: readonly string[], host: string): Verdict {
  const message = `Blocked: MCP server tried to reach ${host}`
  return blocked.includes(message) ? stopped('the owner was told') : got('nobody was told')
}

function dialled(actual: readonly string[], expected: readonly string[]): Verdict {
  const all = `dialled ${actual.join(' ')}`
  return all === `dialled ${expected.join(' ')}` ? stopped(all) : got(all)
}

function byName(outside: Outside, host: string): Scene {
  return {
    ...usual,
    witness: (blocked) => ({ lookups: lookups(outside), silence: told(blocked, host) }),
  }
}

/** No name was parsed out of the malformed target: none but the allowed host was looked up. */
function byReading(outside: Outside): Scene {
  return { ...usual, witness: () => ({ lookups: lookups(outside) }) }
}

/** Only the allowed host was dialled, which is on loopback in these tests. */
function bySpelling(outside: Outside): Scene {
  return { ...usual, witness: () => ({ 'any of them': dialled(outside.dialled, ['127.0.0.1']) }) }
}

function byAddress(outside: Outside): Scene {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const addresses = new Set([...PRIVATE_ADDRESSES, ...own.map(({ address }) => address)])
  const words = Object.fromEntries(
    [...addresses].map((address, index) => [address, `n${index}.private.example`]),
  )
  for (const [address, name] of Object.entries(words)) outside.names.set(name, [address])
  outside.names.set('mixed.private.example', ['10.0.0.1', '169.254.169.254', PUBLIC])
  return {
    allowed: ['*.private.example'],
    reachable: 'mixed.private.example',
    changes: onlyPublic,
    words,
    witness: () => ({ 'one address of many': dialled(outside.dialled, [PUBLIC]) }),
  }
}

function byRebinding(outside: Outside): Scene {
  const answers = [[PUBLIC], ['127.0.0.1']]
  outside.names.set('rebind.example', () => answers.shift() ?? ['127.0.0.1'])
  return {
    allowed: ['rebind.example'],
    changes: onlyPublic,
    witness: () => ({
      'the address behind the name': dialled(outside.dialled, [PUBLIC]),
      'more lookups': outside.queries.length > 2 ? got('another lookup') : stopped('one each'),
    }),
  }
}

function byTlsName(outside: Outside): Scene {
  return {
    ...usual,
    witness: (blocked) => ({
      'reach it': outside.reached.includes('evil.example') ? got('TLS') : stopped('not reached'),
      silence: told(blocked, 'evil.example'),
    }),
  }
}

async function byStrangeBytes(): Promise<Scene> {
  const listener = await openListener()
  return {
    allowed: [ALLOWED],
    changes: { connect: listener.connect },
    words: strangeBytes(),
    witness: (blocked) => ({
      'what was heard': listener.heard() === '' ? stopped('not a byte') : got(listener.heard()),
      silence: told(blocked, ALLOWED),
    }),
    [Symbol.dispose]: () => listener[Symbol.dispose](),
  }
}

/** While one server holds as many connections as it can, none ending by itself, another server is still served. */
function byForce(outside: Outside): Scene {
  return {
    ...usual,
    changes: { limits: { headMs: 600_000 } },
    words: { count: '1000' },
    async during(blocked) {
      await until(() => blocked.length > 500)
      await using quiet = await outside.openProxy([ALLOWED])
      const page = await getThrough(quiet.port, ALLOWED)
      if (page !== `hello ${ALLOWED}`) throw new Error(`the next is not served: ${page}`)
    },
  }
}

function bySlowness(): Scene {
  return { ...usual, changes: { limits: { headMs: 1000 } } }
}

function byFaults(outside: Outside): Scene {
  const answers: Readonly<Record<string, () => unknown>> = {
    'no.broken.example': () => Promise.reject(new Error('broken')),
    'at-once.broken.example': () => {
      throw new Error('broken at once')
    },
    'nothing.broken.example': () => undefined,
    'null.broken.example': () => [null],
    'way-out.broken.example': () => [PUBLIC],
    [ALLOWED]: () => ['127.0.0.1'],
  }
  const { connect } = outside.parts()
  return {
    allowed: [ALLOWED, '*.broken.example'],
    reachable: ALLOWED,
    changes: {
      resolve: (host) => answers[host]?.() as Promise<string[]>,
      connect(address, port) {
        if (address === PUBLIC || connect === undefined) throw new Error('no way out')
        return connect(address, port)
      },
    },
    words: {
      'a resolver that fails': 'no.broken.example',
      'a resolver that throws': 'at-once.broken.example',
      'a resolver without an answer': 'nothing.broken.example',
      'a resolver with an odd answer': 'null.broken.example',
      'a way out that throws': 'way-out.broken.example',
    },
  }
}

export type SceneMaker = (outside: Outside) => Scene | Promise<Scene>

export const SCENES: Readonly<Record<number, readonly SceneMaker[]>> = {
  38: [(outside) => byName(outside, 'evil.example')],
  39: [(outside) => byName(outside, 'c2vjcmv0.evil.example')],
  40: [bySpelling],
  41: [byReading],
  42: [() => usual],
  43: [byAddress],
  44: [byRebinding],
  45: [byTlsName],
  46: [byStrangeBytes],
  47: [byReading],
  48: [(outside) => ({ ...byName(outside, `evil${ALLOWED}`), reachable: 'ALLOWED.example.' })],
  49: [() => ({ allowed: [], neighbour: true })],
  50: [() => usual],
  51: [byForce, bySlowness],
  52: [byFaults, () => ({ allowed: [ALLOWED], gone: true, words: { gone: '' } })],
}
