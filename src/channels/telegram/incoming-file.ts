/**
 * A file that the owner sent, as a text for a plan, or the sentence that says why it is not taken. A file may hold
 * anybody's words, so its text goes behind a handle and is never words to plan. Nothing is written to disk.
 */
import type { Message } from 'grammy/types'
import { seenLine } from '../../text/untrusted-text.ts'
import type { BotApi } from './bot-api.ts'

export interface IncomingFile {
  readonly kind: 'document' | 'picture' | 'sound' | 'film'
  /** Telegram's own. */
  readonly id: string
  /** Chosen by the sender, so untrusted. */
  readonly name: string
  readonly size?: number
}

export type TakenFile =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** Longer texts are refused: a plan hands a value on as a whole. */
const MOST_BYTES = 1_000_000
const LONGEST_NAME = 80

type WithFile = Pick<Message, 'document' | 'photo' | 'voice' | 'audio' | 'video' | 'video_note'>

/** The file of a message, if it has one. Pure. */
export function fileIn(message: WithFile): IncomingFile | undefined {
  const { document, photo, voice, audio, video, video_note: note } = message
  if (document) return fileOf('document', document, document.file_name ?? 'the file')
  const picture = photo?.at(-1) // the largest
  if (picture) return fileOf('picture', picture, 'the picture')
  const sound = voice ?? audio
  if (sound) return fileOf('sound', sound, voice ? 'the voice note' : 'the recording')
  const film = video ?? note
  return film && fileOf('film', film, 'the video')
}

function fileOf(
  kind: IncomingFile['kind'],
  { file_id: id, file_size: size }: { readonly file_id: string; readonly file_size?: number },
  name: string,
): IncomingFile {
  const shown = seenLine(name, LONGEST_NAME)
  return { kind, id, name: shown, ...(size !== undefined && { size }) }
}

export async function takeFile(
  bot: Pick<BotApi, 'download'>,
  file: IncomingFile,
  signal: AbortSignal,
): Promise<TakenFile> {
  const { kind, id, name, size = 0 } = file
  if (kind !== 'document') return refused(REFUSALS[kind])
  const bytes = size > MOST_BYTES ? undefined : await bot.download(id, MOST_BYTES, signal)
  if (!bytes) return refused(`${name} is larger than 1 MB, so I did not take it.`)
  const text = textIn(bytes)
  if (text === undefined) return refused(`${name} is no text, and I can only read text files.`)
  return text.trim() === ''
    ? refused(`${name} is empty, so there is nothing to do with it.`)
    : { kind: 'text', name, text }
}

function refused(reason: string): TakenFile {
  return { kind: 'refused', reason }
}

/** Undefined if the bytes are no UTF-8, or hold a NUL, as every binary format does. */
function textIn(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // Other line separators could end a quotation.
    return text.includes('\0') ? undefined : text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
  } catch {
    return undefined
  }
}

const REFUSALS: Readonly<Record<Exclude<IncomingFile['kind'], 'document'>, string>> = {
  sound:
    'I cannot listen to that: it needs a tool that turns speech into text, and I have none that takes a recording. Send the words as a message.',
  picture:
    'I cannot look at pictures, so I did nothing with it. Send the words as a message or a text file.',
  film: 'I cannot watch videos, so I did nothing with it. Send the words as a message or a text file.',
}
