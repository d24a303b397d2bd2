/** Answers of a kernel with a few servers and profiles, for the tests of the settings. */
import type { Output } from '../../src/api/contract.ts'
import type { KernelEvent } from '../../src/api/events.ts'
import type { FakeAnswers } from '../../src/api/fake-api.ts'
import type { ServerSettings } from '../../src/api/server-settings.ts'
import type { ProfileView } from '../../src/ports/model-port.ts'
import type { ConnectionView } from '../../src/ports/setup-port.ts'
import { DETAILS } from './open-page.ts'

const NOTHING = { tokens: 0, cost: 0, seconds: 0 }

export function profile(name: string, facts: Partial<ProfileView> = {}): ProfileView {
  return {
    name,
    provider: 'anthropic',
    url: 'https://api.anthropic.com/v1',
    model: 'claude-sonnet-4',
    key: `vault:model_key_${name}`,
    isActive: false,
    isLocal: false,
    clearance: 'internal',
    fallback: [],
    budget: {},
    today: NOTHING,
    ...facts,
  }
}

type Badge = Output<'mcp.list'>['servers'][number]['state']['badge']

export function listing(badges: Readonly<Record<string, Badge>>): Output<'mcp.list'> {
  const servers = Object.entries(badges).map(([name, badge]) => ({
    ...DETAILS,
    name,
    server: name.toLowerCase(),
    state: { badge, tools: 3, quarantined: 0, restarts: 0 },
  }))
  return { servers, problems: [] }
}

export function settings(facts: Partial<ServerSettings> = {}): ServerSettings {
  return {
    server: 'github',
    name: 'GitHub',
    label: 'sensitive',
    isEnabled: true,
    isOwn: true,
    takesFolders: true,
    allowedDomains: ['api.github.com'],
    readPaths: [],
    writePaths: [],
    access: { kind: 'token', isThere: true, title: 'token' },
    settings: [],
    service: { slug: 'github', title: 'GitHub' },
    accounts: [],
    ...facts,
  }
}

export function connecting(facts: Partial<ConnectionView> = {}): ConnectionView {
  return {
    connection: 'c1',
    service: 'github',
    title: 'GitHub',
    phase: 'awaiting-credential',
    expiresAt: '2030-01-01T00:10:00Z',
    said: [],
    version: 1,
    ...facts,
  }
}

export const NO_USE = { tokens: 0, cost: 0, seconds: 0 } as const

/** A stream in which the same thing happens ten times a second. */
export function tellAgainAndAgain(
  kind: KernelEvent['kind'],
): NonNullable<FakeAnswers['events.follow']> {
  return async ({ after }) => {
    if (after !== undefined) await new Promise((resolve) => setTimeout(resolve, 100).unref())
    return { boot: '1', after: (after ?? 0) + 1, notices: 1, traffic: 1, events: [{ kind }] }
  }
}
