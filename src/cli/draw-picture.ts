/**
 * Draws a picture in a terminal that says it can: by kitty's graphics protocol, or as an inline image of iTerm2. Only
 * bytes that begin as the format does are sent, as base64, so no byte of a server can be a control character.
 */
import type { Attachment } from '../text/attachments.ts'

export type PictureProtocol = 'kitty' | 'iterm'

interface TerminalVariables {
  readonly TERM?: string | undefined
  readonly TERM_PROGRAM?: string | undefined
}

const MOST_BYTES = 8 * 2 ** 20
/** kitty takes base64 in pieces of at most this length. */
const PIECE = 4096
const ESCAPE = '\u001b'

/** Undefined for every terminal that does not name itself: an unknown one would print the picture as text. */
export function pictureProtocol(variables: TerminalVariables): PictureProtocol | undefined {
  const { TERM = '', TERM_PROGRAM = '' } = variables
  if (/^(?:screen|tmux|dumb)/.test(TERM)) return undefined // they pass on what they know, and know no pictures
  if (/^xterm-(?:kitty|ghostty)$/.test(TERM)) return 'kitty'
  return TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm' ? 'iterm' : undefined
}

/** The sequence to write; undefined if it is no picture of a kind that the protocol takes. */
export function drawPicture(
  { data, bytes: size }: Attachment,
  protocol: PictureProtocol,
): string | undefined {
  if (size > MOST_BYTES) return undefined
  const bytes = Buffer.from(data, 'base64')
  const format = formatOf(bytes)
  const text = bytes.toString('base64')
  if (protocol === 'kitty') return format === 'png' ? inPieces(text) : undefined
  if (format === undefined) return undefined
  return `${ESCAPE}]1337;File=inline=1;size=${bytes.length}:${text}\u0007`
}

function inPieces(text: string): string {
  const pieces = text.match(new RegExp(`.{1,${PIECE}}`, 'g')) ?? []
  return pieces
    .map((piece, at) => {
      const first = at === 0 ? 'a=T,f=100,' : ''
      return `${ESCAPE}_G${first}m=${at === pieces.length - 1 ? 0 : 1};${piece}${ESCAPE}\\`
    })
    .join('')
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** By the first bytes, never by what the server calls it. */
function formatOf(bytes: Buffer): 'png' | 'jpeg' | 'gif' | undefined {
  const isPng = bytes.subarray(0, 8).equals(PNG) && bytes.toString('latin1', 12, 16) === 'IHDR'
  if (isPng) return 'png'
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg'
  return /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) ? 'gif' : undefined
}
