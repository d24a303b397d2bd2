/** Requests to try, made of the servers that are connected: each can be answered as things stand. */
import type { ServerSummary } from '../../api/servers.ts'
import { signal, type Signal } from '@preact/signals'
import { go } from './place.ts'

/** Words that the field of the chat begins with, once. */
export const draft: Signal<string> = signal('')

const ALWAYS = ['remember that my dentist is Dr. Adeyemi', 'help']

type Shown = Pick<ServerSummary, 'server' | 'state' | 'readPaths' | 'writePaths'>

export function examplesFor(servers: readonly Shown[]): readonly string[] {
  const known = servers.flatMap((server) => exampleOf(server) ?? []).slice(0, 2)
  return [...(known.length === 0 ? ['connect filesystem'] : known), ...ALWAYS]
}

export function exampleOf({ server, state, readPaths, writePaths }: Shown): string | undefined {
  if (state.badge !== 'connected' && state.badge !== 'idle') return undefined
  const [folder] = [...(writePaths ?? []), ...(readPaths ?? [])]
  if (server.startsWith('filesystem') && folder !== undefined) return `list the files in ${folder}`
  return state.tools > 0 ? `/tools ${server}` : undefined
}

const OPENED = 'cordon-chat-opened'

/** Whether somebody has opened the chat in this browser before. */
export function hasOpenedChat(): boolean {
  return localStorage.getItem(OPENED) !== null
}

export function noteChat(): void {
  localStorage.setItem(OPENED, 'yes')
}

/** Opens the chat with these words in its field; nothing is sent. */
export function tryInChat(text: string): void {
  draft.value = text
  go('chat')
}
