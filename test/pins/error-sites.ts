/**
 * Every place in the source that makes an error code, with the message and hint that a person sees. A code must be a
 * literal: a code that is built at run time could not be listed, so it is reported as a fault.
 */
import { type Place, type Placed, Shapes } from './shapes.ts'
import {
  bare,
  childOf,
  functionName,
  listOf,
  type Node,
  nameOf,
  resolve,
  type Source,
} from './syntax.ts'

export interface ErrorSite {
  readonly code: string
  readonly exits: readonly number[]
  readonly messages: readonly string[]
  readonly hints: readonly string[]
}

export interface ErrorSites {
  readonly sites: readonly ErrorSite[]
  /** Places that build a code at run time. */
  readonly faults: readonly string[]
}

const CODE = /^[a-z]+\.[a-z]+(?:-[a-z]+)*$/

export function findErrorSites(sources: readonly Source[]): ErrorSites {
  const shapes = new Shapes(sources)
  const sites: ErrorSite[] = []
  const faults: string[] = []
  for (const source of sources) {
    for (const node of source.nodes) {
      const found = siteAt(source, node)
      if (!found || isPassedOn(found)) continue
      const { codes, isBuilt } = codesOf(shapes, found)
      if (isBuilt) faults.push(`${source.path}: ${found.kind} ${functionAround(source, node)}`)
      sites.push(...codes.map(([code, place]) => describe(shapes, { ...found, place }, code)))
    }
  }
  return { sites, faults }
}

interface Site {
  readonly kind: 'error' | 'object'
  readonly code: Node
  /** Holds `exit`, `hint` and `why`. */
  readonly spec: Node
  readonly message: Node | undefined
  readonly place: Place
}

/** Matches `new CordonError(code, spec, message)`, or an object with a code and a hint, message or reason. */
function siteAt(source: Source, node: Node): Site | undefined {
  const place = { source }
  if (node.type === 'NewExpression' && nameOf(childOf(node, 'callee')) === 'CordonError') {
    const [code, spec, message] = listOf(node, 'arguments')
    return code && spec && { kind: 'error', code, spec, message, place }
  }
  if (node.type !== 'ObjectExpression') return undefined
  const members = new Map(
    listOf(node, 'properties').map((one) => [nameOf(childOf(one, 'key')), childOf(one, 'value')]),
  )
  const code = members.get('code')
  // Findings of the flow checker have a severity, and codes of their own.
  const isTold = ['hint', 'message', 'reason'].some((key) => members.has(key))
  if (!code || !isTold || members.has('severity')) return undefined
  return { kind: 'object', code, spec: node, message: members.get('message'), place }
}

/** `problem.code` only passes a code on; the place that made the problem is found on its own. */
function isPassedOn({ code }: Site): boolean {
  const node = bare(code)
  return node.type === 'MemberExpression' && nameOf(childOf(node, 'property')) === 'code'
}

interface Codes {
  readonly codes: readonly (readonly [code: string, place: Place])[]
  readonly isBuilt: boolean
}

function codesOf(
  shapes: Shapes,
  { kind, code, place }: Pick<Site, 'kind' | 'code' | 'place'>,
): Codes {
  const found = shapes.follow([code, place]).map((one) => codeAt(shapes, kind, one, place))
  return { codes: found.flatMap(({ codes }) => codes), isBuilt: found.some((one) => one.isBuilt) }
}

function codeAt(shapes: Shapes, kind: Site['kind'], [node, at]: Placed, place: Place): Codes {
  const text = node.type === 'Literal' ? nameOf(node) : ''
  if (CODE.test(text)) return { codes: [[text, place]], isBuilt: false }
  if (node.type === 'Identifier' || node.type === 'MemberExpression') {
    return passedOn(shapes, { kind, code: node, place: at })
  }
  // Many objects have a `code` that is not an error code.
  return { codes: [], isBuilt: kind === 'error' || startsLikeCode(node) }
}

function startsLikeCode(node: Node): boolean {
  const [first] = node.type === 'TemplateLiteral' ? listOf(node, 'quasis') : []
  const { cooked = '' } = (first?.['value'] ?? {}) as { readonly cooked?: string }
  return /^[a-z]+\./.test(cooked)
}

/** A parameter takes its code from every caller; a code read from another problem was made elsewhere. */
function passedOn(
  shapes: Shapes,
  { kind, code, place }: Pick<Site, 'kind' | 'code' | 'place'>,
): Codes {
  if (code.type === 'MemberExpression') {
    return { codes: [], isBuilt: nameOf(childOf(code, 'property')) !== 'code' }
  }
  const declared = resolve(place.source, code, nameOf(code))
  if (declared?.kind === 'member') return { codes: [], isBuilt: false }
  if (declared?.kind !== 'param') return { codes: [], isBuilt: kind === 'error' }
  const { fn } = declared
  const calls = shapes.callsOf(place.source, fn).map(([call, from]): Codes => {
    const at: Place = { source: place.source, call: { fn, args: listOf(call, 'arguments'), from } }
    return codesOf(shapes, { kind, code, place: at })
  })
  return {
    codes: calls.flatMap(({ codes }) => codes),
    isBuilt: calls.some(({ isBuilt }) => isBuilt),
  }
}

/** An object without a message takes it from the places in its file that make a `CordonError` of it. */
function describe(shapes: Shapes, site: Site, code: string): ErrorSite {
  const thrown = site.kind === 'object' && !site.message ? thrownFrom(site) : []
  const told = thrown.length > 0 ? thrown : [site]
  return {
    code,
    exits: told.flatMap(({ spec, place }) => numbersIn(shapes.property([spec, place], 'exit'))),
    messages: told.flatMap((one) => messagesOf(shapes, one)),
    hints: told.flatMap(({ spec, place }) => textsAt(shapes, [spec, place], 'hint')),
  }
}

function thrownFrom({ spec, place }: Site): readonly Site[] {
  const { source } = place
  return source.nodes.flatMap((node): readonly Site[] => {
    const site = siteAt(source, node)
    if (site?.kind !== 'error') return []
    const code = bare(site.code)
    const name = code.type === 'MemberExpression' ? nameOf(childOf(code, 'object')) : ''
    if (name === '') return []
    return [{ ...site, place: { source, object: { name, node: spec, from: place } } }]
  })
}

function messagesOf(shapes: Shapes, { spec, message, place }: Site): readonly string[] {
  const own = message ? shapes.textsOf([message, place]) : textsAt(shapes, [spec, place], 'reason')
  const [why] = textsAt(shapes, [spec, place], 'why')
  return why === undefined ? own : own.map((text) => `${text}: ${why}`)
}

function textsAt(shapes: Shapes, placed: Placed, key: string): readonly string[] {
  return shapes
    .property(placed, key)
    .flatMap((one) => shapes.textsOf(one))
    .filter((text) => text !== '')
}

function numbersIn(placed: readonly Placed[]): readonly number[] {
  return placed.flatMap(([node]) => (typeof node['value'] === 'number' ? [node['value']] : []))
}

function functionAround(source: Source, node: Node): string {
  for (let at: Node | undefined = node; at; at = source.parents.get(at)) {
    const name = functionName(source, at)
    if (name !== '') return `in ${name}()`
  }
  return ''
}
