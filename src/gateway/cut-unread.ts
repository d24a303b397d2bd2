/**
 * Bounds the answers over HTTP that one client leaves unread. Each of its connections may hold one of 10 MiB and more, so a
 * bound for each connection alone would bound nothing.
 */
import type { HttpResponse } from './http-request.ts'

/** Above this an answer is looked at: nearly all are smaller, or read at once. */
export const LARGE_UNREAD: number = 2 ** 20
const MOST_UNREAD = 64 * 2 ** 20

/** Ends the connections with the oldest unread answers until the rest is within the bound. */
export function cutUnread(answers: readonly HttpResponse[]): void {
  let unread = 0
  for (const { writableLength } of answers) unread += writableLength
  for (const answer of answers) {
    if (unread <= MOST_UNREAD) return
    const { writableLength } = answer
    if (writableLength < LARGE_UNREAD) continue
    unread -= writableLength
    answer.destroy()
  }
}
