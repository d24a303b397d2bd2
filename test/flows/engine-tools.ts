/** An engine house with tools that read, write and send, and the nodes that most test flows use. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { JsonObject } from '../../src/text/json.ts'
import {
  addEffect,
  type EngineHouse,
  type HouseWishes,
  openEngineHouse,
  type TestTool,
} from './engine-house.ts'

const root = mkdtempSync(path.join(tmpdir(), 'cordon-engine-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))

let places = 0
export function newPlace(): string {
  const place = path.join(root, String(++places))
  mkdirSync(place)
  return place
}

const MAILS = [
  { id: 'm1', subject: 'one' },
  { id: 'm2', subject: 'two' },
  { id: 'm3', subject: 'three' },
]

/** The tools `list` (reads), `note` and `send` (write), and any more that a test needs. */
export function toolsOf(folder: string, more: readonly TestTool[] = []): readonly TestTool[] {
  return [
    { name: 'list', effect: 'remote-read', args: { q: 'query' }, run: () => ({ items: MAILS }) },
    {
      name: 'note',
      effect: 'write',
      args: { text: 'content' },
      run({ args }) {
        addEffect(folder, `note ${JSON.stringify(args['text'])}`)
        return { noted: args['text'] ?? null }
      },
    },
    {
      name: 'send',
      effect: 'write',
      args: { to: 'target', text: 'content' },
      run({ args }) {
        addEffect(folder, `send ${JSON.stringify(args['to'])}`)
        return { sent: true }
      },
    },
    ...more,
  ]
}

export async function openWithTools(
  wishes: Partial<HouseWishes> = {},
  more: readonly TestTool[] = [],
): Promise<EngineHouse> {
  const folder = wishes.folder ?? newPlace()
  return await openEngineHouse({ tools: toolsOf(folder, more), ...wishes, folder })
}

export const READ: JsonObject = { id: 'list', type: 'box.list', params: { q: 'x' } }
export const NOTE: JsonObject = { id: 'note', type: 'box.note', params: { text: 'hello' } }
