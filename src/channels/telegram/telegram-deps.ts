/** The ports that the Telegram channel is handed, each narrowed to the methods in use. */
import type { Api } from '../../api/contract.ts'
import type { Audit, Log, Redactor, Vault, SharedNotes } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { MessageHandlers } from '../../kernel/receive.ts'
import type { AnswerApi } from './answer-message.ts'
import type { BotPlace } from './bot-api.ts'

/** The name of the bot's token in the vault. */
export const TELEGRAM_TOKEN = 'telegram_bot_token'

export interface TelegramDeps {
  readonly owner: PrincipalId
  readonly vault: Pick<Vault, 'set' | 'remove' | 'lease' | 'status'>
  readonly notes: SharedNotes
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly redactor: Pick<Redactor, 'redact'>
  readonly place: BotPlace
  readonly now: () => number
}

/** The API and the handlers of messages, which exist once all rooms are built. */
export interface TelegramServing {
  readonly api: AnswerApi &
    Api<'approvals.list' | 'approvals.show' | 'approvals.answer' | 'notices.list'>
  readonly handlers: MessageHandlers
}
