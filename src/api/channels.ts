/**
 * Routes about the channels beside terminal and page: which there are, who may talk there, and how they are. A page may
 * look; a bot is added and a person let in from a terminal only. No answer holds a token.
 */
import { z } from 'zod'
import { nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

/** The channels that can be added. */
const CHANNEL_NAMES = ['telegram'] as const
type ChannelName = (typeof CHANNEL_NAMES)[number]

/** `owner`: an account of the owner. `paired`: somebody else, who may talk and no more. */
const ROLES = ['owner', 'paired'] as const
type Role = (typeof ROLES)[number]

export interface ChannelPerson {
  readonly id: string
  /** Chosen by the person, so untrusted. */
  readonly name: string
  readonly role: Role
  /** ISO. */
  readonly pairedAt: string
}

export interface ChannelView {
  readonly channel: ChannelName
  /** `waiting`: it cannot work at the moment, for the reason that is given, and tries again by itself. */
  readonly state: 'off' | 'starting' | 'on' | 'waiting'
  /** One sentence, without a full stop. */
  readonly reason?: string
  /** The remedy: one imperative sentence, without a full stop. */
  readonly hint?: string
  /** `@name` */
  readonly bot?: string
  readonly people: readonly ChannelPerson[]
}

export interface ChannelContract {
  'channels.list': {
    surface: 'any'
    input: Nothing
    output: { readonly channels: readonly ChannelView[] }
  }
  /** The token is tried before it is kept. */
  'channels.add': {
    input: { readonly channel: ChannelName; readonly token: string }
    output: { readonly bot: string; readonly replaced: boolean }
  }
  /** A one-time code that a person sends to the bot. Without a role: the owner's own account first, then others. */
  'channels.pair': {
    input: { readonly channel: ChannelName; readonly role?: Role }
    output: {
      readonly code: string
      readonly role: Role
      readonly bot: string
      /** ISO. */
      readonly expiresAt: string
    }
  }
  'channels.unpair': {
    input: { readonly channel: ChannelName; readonly person: string }
    output: ChannelPerson
  }
  /** Forgets the bot, its token and everybody who was paired. */
  'channels.remove': { input: { readonly channel: ChannelName }; output: Nothing }
  /** Asks the bot who it is, and sends a line to the owner's account. */
  'channels.test': {
    input: { readonly channel: ChannelName }
    output: { readonly bot: string; readonly sentTo: string }
  }
}

type Call<R extends keyof ChannelContract> = ChannelContract[R]

export interface ChannelDeps {
  readonly telegram: {
    view(): Promise<ChannelView>
    add(token: string, signal: AbortSignal): Promise<Call<'channels.add'>['output']>
    pair(role: Role | undefined): Promise<Call<'channels.pair'>['output']>
    unpair(person: string): Promise<ChannelPerson>
    remove(): Promise<void>
    test(signal: AbortSignal): Promise<Call<'channels.test'>['output']>
  }
}

const channel = z.enum(CHANNEL_NAMES)

export function channelRoutes({ telegram }: ChannelDeps): Routes<ChannelContract> {
  return {
    'channels.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ channels: [await telegram.view()] }),
    },
    'channels.add': {
      surface: 'terminal',
      input: z.strictObject({ channel, token: z.string().min(1).max(200) }),
      handle: ({ token }, signal) => telegram.add(token, signal),
    },
    'channels.pair': {
      surface: 'terminal',
      input: z.strictObject({ channel, role: z.enum(ROLES).exactOptional() }),
      handle: ({ role }) => telegram.pair(role),
    },
    'channels.unpair': {
      surface: 'terminal',
      input: z.strictObject({ channel, person: z.string().min(1).max(64) }),
      handle: ({ person }) => telegram.unpair(person),
    },
    'channels.remove': {
      surface: 'terminal',
      input: z.strictObject({ channel }),
      async handle() {
        await telegram.remove()
        return {}
      },
    },
    'channels.test': {
      surface: 'terminal',
      input: z.strictObject({ channel }),
      handle: (_input, signal) => telegram.test(signal),
    },
  }
}
