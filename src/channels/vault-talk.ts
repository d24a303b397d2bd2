/**
 * The vault in a terminal chat: the choice of how a new one is protected, and the passphrase of a locked one. It runs in
 * the process of the terminal, so a passphrase goes from the hidden prompt to the kernel's vault routes and is never a
 * chat message.
 */
import type { Api } from '../api/contract.ts'
import { CordonError } from '../kernel/error.ts'
import type { KeySource, VaultStatus } from '../kernel/vault-status.ts'
import { inChatWords } from '../text/in-chat-words.ts'
import { isLongEnough, LEAST_PASSPHRASE } from '../text/is-long-enough.ts'

type VaultApi = Pick<Api<'vault.status' | 'vault.sources' | 'vault.init' | 'vault.unlock'>, 'call'>

type Step =
  | { readonly kind: 'idle' }
  | { readonly kind: 'choosing'; readonly sources: readonly KeySource[] }
  | { readonly kind: 'new' }
  | { readonly kind: 'again'; readonly first: string }
  | { readonly kind: 'locked' }

const WANTED: Readonly<Partial<Record<Step['kind'], string>>> = {
  new: `New passphrase (at least ${LEAST_PASSPHRASE} characters)`,
  again: 'The same passphrase again',
  locked: 'Passphrase of the vault',
}

const CHOICES: Readonly<Record<KeySource, string>> = {
  keychain: '  keychain     in the keychain of this desktop: it opens with your session',
  passphrase: '  passphrase   by a passphrase: you type it after each start of Cordon',
  keyfile:
    '  keyfile      in a file beside it: nothing to type, and whoever can read your files can read it',
}

export class VaultTalk {
  readonly #api: VaultApi
  #step: Step = { kind: 'idle' }

  constructor(api: VaultApi) {
    this.#api = api
  }

  /** The name of the passphrase to be typed hidden next; undefined if the next line is an ordinary one. */
  get wanted(): string | undefined {
    return WANTED[this.#step.kind]
  }

  /** Begins the talk, and returns what to show first. */
  async begin(): Promise<string> {
    const { state, keySource } = await this.#api.call('vault.status', {})
    if (state === 'unlocked') return 'The vault is open.'
    if (state === 'absent') {
      const { sources } = await this.#api.call('vault.sources', {})
      this.#step = { kind: 'choosing', sources }
      return [QUESTION, ...sources.map((each) => CHOICES[each])].join('\n')
    }
    if (keySource !== 'passphrase') return await this.#open(this.#api.call('vault.unlock', {}))
    this.#step = { kind: 'locked' }
    return 'The vault is locked. Type its passphrase, or `cancel`.'
  }

  /** The answer to a line; undefined if the line is not for the vault. `isOpen`: the vault is unlocked now. */
  async take(
    text: string,
  ): Promise<{ readonly text: string; readonly isOpen: boolean } | undefined> {
    try {
      const answer = await this.#hear(text)
      return answer === undefined ? undefined : { text: answer, isOpen: this.#isIdle }
    } catch (error) {
      if (!(error instanceof CordonError)) throw error
      return { text: inChatWords(`${error.message}. ${error.hint}.`), isOpen: false }
    }
  }

  end(): void {
    this.#step = { kind: 'idle' }
  }

  get #isIdle(): boolean {
    return this.#step.kind === 'idle'
  }

  async #hear(text: string): Promise<string | undefined> {
    const step = this.#step
    switch (step.kind) {
      case 'idle':
        return undefined
      case 'choosing':
        return await this.#choose(step.sources, text)
      case 'new':
        if (!isLongEnough(text)) return `That is shorter than ${LEAST_PASSPHRASE} characters.`
        this.#step = { kind: 'again', first: text }
        return ''
      case 'again': {
        this.#step = { kind: 'new' }
        if (text !== step.first) return 'The two entries differ; type it again.'
        const wanted = { source: 'passphrase', passphrase: text } as const
        return await this.#open(this.#api.call('vault.init', wanted))
      }
      default:
        return await this.#open(this.#api.call('vault.unlock', { passphrase: text }))
    }
  }

  async #choose(sources: readonly KeySource[], text: string): Promise<string | undefined> {
    const word = text.trim().toLowerCase().replaceAll(/\s/g, '')
    const source = sources.find((each) => each === word)
    if (source === undefined) return undefined
    if (source !== 'passphrase') return await this.#open(this.#api.call('vault.init', { source }))
    this.#step = { kind: 'new' }
    return ''
  }

  async #open(opening: Promise<VaultStatus>): Promise<string> {
    const { keySource } = await opening
    this.end()
    return `The vault is open (key: ${keySource}).`
  }
}

const QUESTION =
  'Credentials are kept encrypted in a vault. How is its key protected? Type one of these, or `cancel`:'
