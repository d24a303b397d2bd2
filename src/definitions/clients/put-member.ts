/**
 * Takes members out of a JSON text and puts one in; comments, order, indentation and line ends of everything else stay.
 * Pure. The caller parses the result again and compares it with what was meant.
 */
import type { Json } from '../../text/json.ts'
import { type MemberRange, rangesIn, type ValueRange } from './ranges-in.ts'

export type JsonPath = readonly string[]

export function removeMember(text: string, path: JsonPath): string {
  const holder = objectAt(text, path.slice(0, -1))
  const members = holder?.members ?? []
  const at = members.findLastIndex(({ key }) => key === path.at(-1))
  const member = members[at]
  if (!member) return text
  const start = startOfMember(text, member)
  if (member.comma !== undefined) return cut(text, start, endOfLine(text, member.comma + 1, start))
  const before = members[at - 1]?.comma
  const rest = cut(text, start, endOfLine(text, member.value.end, start))
  return before === undefined ? rest : cut(rest, before, before + 1)
}

/** Objects that are missing on the way are made. */
export function putMember(text: string, path: JsonPath, value: Json): string {
  if (text.trim() === '') return putMember(`{}${endingOf(text)}`, path, value)
  const [depth, holder] = deepestObject(text, path.slice(0, -1))
  if (!holder) return text
  const [key = '', ...deeper] = path.slice(depth)
  const whole = deeper.reduceRight<Json>((inside, name) => ({ [name]: inside }), value)
  return putInto(text, holder, key, whole)
}

function putInto(text: string, holder: ValueRange, key: string, value: Json): string {
  const last = holder.members?.at(-1)
  const put = `${JSON.stringify(key)}: `
  if (!last) return putFirst(text, holder, put, value)
  const end = (last.comma ?? last.value.end - 1) + 1
  if (!text.slice(holder.start, last.start).includes('\n')) {
    return insert(
      text,
      end,
      `${last.comma === undefined ? ',' : ''} ${put}${JSON.stringify(value)}`,
    )
  }
  const inner = indentOf(text, last.start)
  const line = `${eolOf(text)}${inner}${put}${blockOf(text, value, inner)}`
  const added = insert(text, endOfRemark(text, end), line)
  return last.comma === undefined ? insert(added, last.value.end, ',') : added
}

function putFirst(text: string, { start, end }: ValueRange, put: string, value: Json): string {
  const outer = indentOf(text, start)
  const inner = outer + indentUnit(text)
  const eol = eolOf(text)
  const line = `${eol}${inner}${put}${blockOf(text, value, inner)}`
  const isOpen = text.slice(start, end).includes('\n')
  return insert(text, start + 1, isOpen ? line : `${line}${eol}${outer}`)
}

function blockOf(text: string, value: Json, indent: string): string {
  const lines = JSON.stringify(value, undefined, indentUnit(text)).split('\n')
  return lines.join(`${eolOf(text)}${indent}`)
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function objectAt(text: string, path: JsonPath): ValueRange | undefined {
  const [depth, found] = deepestObject(text, path)
  return depth === path.length ? found : undefined
}

/** How many steps of the path lead through objects, and the object that the last of them leads to. */
function deepestObject(text: string, path: JsonPath): readonly [number, ValueRange | undefined] {
  let found = rangesIn(text)
  if (!found?.members) return [0, undefined]
  for (const [depth, key] of path.entries()) {
    const next: ValueRange | undefined = found.members?.findLast((one) => one.key === key)?.value
    if (!next?.members) return [depth, found]
    found = next
  }
  return [path.length, found]
}

/** The beginning of its line, if nothing else stands before it there. */
function startOfMember(text: string, { start }: MemberRange): number {
  const line = text.lastIndexOf('\n', start - 1) + 1
  return line > 0 && /^[ \t]*$/.test(text.slice(line, start)) ? line : start
}

/** The beginning of the next line, if the member began a line and nothing else stands behind it. */
function endOfLine(text: string, end: number, start: number): number {
  const isWholeLine = start === 0 || text.charAt(start - 1) === '\n'
  const rest = /[ \t]*\r?\n/y
  rest.lastIndex = end
  return isWholeLine && rest.test(text) ? rest.lastIndex : end
}

/** Behind a remark on the same line, which belongs to the member before it. */
function endOfRemark(text: string, end: number): number {
  const remark = /[ \t]*(?:\/\/[^\r\n]*|#[^\r\n]*|\/\*[^\r\n]*?\*\/)/y
  remark.lastIndex = end
  return remark.test(text) ? remark.lastIndex : end
}

function indentOf(text: string, offset: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? ''
}

/** The indentation of the first member of the whole text; two spaces if there is none. */
function indentUnit(text: string): string {
  const first = rangesIn(text)?.members?.[0]
  return (first && indentOf(text, first.start)) || '  '
}

function endingOf(text: string): string {
  return text === '' ? '\n' : text
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end)
}

function insert(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at)
}
