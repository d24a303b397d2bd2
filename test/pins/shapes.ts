/**
 * Texts in the source as a person sees them: `Cannot find server "SERVER"`, with a placeholder in capitals for each
 * value that is only known at run time. Follows constants, tables, parameters and our own functions; never runs them.
 */
import {
  bare,
  childOf,
  type Declared,
  functionName,
  isFunction,
  listOf,
  type Node,
  nameOf,
  resolve,
  type Source,
} from './syntax.ts'

/** The place of an expression: its file, and the known values of the names in it. */
export interface Place {
  readonly source: Source
  /** The call by which a function was entered. */
  readonly call?: { readonly fn: Node; readonly args: readonly Node[]; readonly from: Place }
  /** The object that a name stands for. */
  readonly object?: { readonly name: string; readonly node: Node; readonly from: Place }
}
export type Placed = readonly [node: Node, place: Place]

const UNKNOWN = '…'
const DEEPEST = 8
/** A part with more variants than this becomes a placeholder. */
const MOST_WAYS = 3

export class Shapes {
  readonly #sources: readonly Source[]
  /** All calls, by the name of the called function. */
  readonly #calls: ReadonlyMap<string, readonly Placed[]>

  constructor(sources: readonly Source[]) {
    this.#sources = sources
    const calls = sources.flatMap((source) =>
      source.nodes
        .filter(({ type }) => type === 'CallExpression')
        .map((node): Placed => [node, { source }]),
    )
    this.#calls = Map.groupBy(calls, ([node]) => nameOf(childOf(node, 'callee')))
  }

  /** Every call of a function of ours: in its own file, and in files that import it. */
  callsOf(source: Source, fn: Node): readonly Placed[] {
    const name = functionName(source, fn)
    if (name === '') return []
    const file = source.path.split('/').at(-1) ?? ''
    return (this.#calls.get(name) ?? []).filter(([, from]) => {
      if (from.source === source) return true
      const known = rootScope(from.source)?.get(name)
      return known?.kind === 'import' && known.from.endsWith(`/${file}`)
    })
  }

  /** The expressions that a value can come from, followed to the places where they are written. */
  follow([written, place]: Placed, depth: number = 0): readonly Placed[] {
    const node = bare(written)
    if (depth > DEEPEST) return []
    const next = (one: Node | undefined, at: Place = place): readonly Placed[] =>
      one ? this.follow([one, at], depth + 1) : []
    if (node.type === 'ConditionalExpression') {
      return [...next(childOf(node, 'consequent')), ...next(childOf(node, 'alternate'))]
    }
    if (node.type === 'LogicalExpression') {
      return [...next(childOf(node, 'left')), ...next(childOf(node, 'right'))]
    }
    if (node.type === 'MemberExpression') {
      const members = this.#members(node, place, depth)
      return members.length > 0 ? members : [[node, place]]
    }
    if (node.type !== 'Identifier') return [[node, place]]
    const found = this.#origin(node, place)
    return found ? next(...found) : [[node, place]]
  }

  /** The members named `key` of all objects that an expression can be. */
  property(placed: Placed, key: string): readonly Placed[] {
    return this.follow(placed).flatMap(([node, place]) => {
      if (node.type !== 'ObjectExpression') return []
      const properties = listOf(node, 'properties')
      const own = properties.find((one) => nameOf(childOf(one, 'key')) === key)
      const value = own && childOf(own, 'value')
      if (value) return this.follow([value, place])
      const spread = properties.flatMap((one) => childOf(one, 'argument') ?? [])
      return spread.flatMap((one) => this.property([one, place], key))
    })
  }

  textsOf(placed: Placed, depth: number = 0): readonly string[] {
    if (depth > DEEPEST) return [UNKNOWN]
    const ways = this.follow(placed).flatMap((one) => this.#spell(one, depth + 1))
    const unique = [...new Set(ways)]
    return unique.length > 0 ? unique.slice(0, MOST_WAYS + 1) : [UNKNOWN]
  }

  #spell([node, place]: Placed, depth: number): readonly string[] {
    if (node.type === 'Literal') return [String(node['value'])]
    if (node.type === 'TemplateLiteral') return this.#spellTemplate(node, place, depth)
    if (isConcatenation(node)) {
      const sides = [childOf(node, 'left'), childOf(node, 'right')]
      return joined(sides.map((side) => (side ? this.textsOf([side, place], depth) : [UNKNOWN])))
    }
    if (node.type === 'CallExpression') return this.#spellCall(node, place, depth)
    if (node.type === 'Identifier') return this.#spellName(node, place, depth)
    return [placeholder(node)]
  }

  #spellTemplate(node: Node, place: Place, depth: number): readonly string[] {
    const values = listOf(node, 'expressions').map((one) => this.#few([one, place], depth))
    const texts = listOf(node, 'quasis').map(({ value }) => {
      return String((value as { readonly cooked?: string }).cooked)
    })
    return joined(texts.flatMap((text, at) => [[text], values[at] ?? ['']]))
  }

  #spellCall(node: Node, place: Place, depth: number): readonly string[] {
    const callee = childOf(node, 'callee')
    const [first] = listOf(node, 'arguments')
    if (callee?.type === 'MemberExpression') return this.#spellMethod(callee, first, place, depth)
    if (nameOf(callee) === 'shown') return [quoted(first)]
    const returned = this.#returns(node, place)
    if (returned.length === 0) return [placeholder(node)]
    return returned.flatMap((one) => this.textsOf(one, depth + 1))
  }

  #spellMethod(
    callee: Node,
    first: Node | undefined,
    place: Place,
    depth: number,
  ): readonly string[] {
    const object = childOf(callee, 'object')
    const owner = nameOf(object)
    if (!object || owner === 'JSON') return [quoted(first)]
    if (owner === 'Math' || owner === 'Number') return [first ? placeholder(first) : UNKNOWN]
    const isSameText = /^(?:replace|trim|trimEnd)$/.test(nameOf(childOf(callee, 'property')))
    return isSameText ? this.textsOf([object, place], depth) : [placeholder(object)]
  }

  /** The return values of a function of ours, for the arguments of this call. */
  #returns(call: Node, place: Place): readonly Placed[] {
    const callee = childOf(call, 'callee')
    const found = callee && this.#declared(place.source, callee, nameOf(callee))
    if (found?.declared.kind !== 'function') return []
    const { declared, source } = found
    const fn = declared.node
    const at: Place = { source, call: { fn, args: listOf(call, 'arguments'), from: place } }
    const body = childOf(fn, 'body')
    if (body && body.type !== 'BlockStatement') return [[body, at]]
    const isOwn = (node: Node): boolean => {
      let scope = source.parents.get(node)
      while (scope && !isFunction(scope)) scope = source.parents.get(scope)
      return scope === fn
    }
    return source.nodes
      .filter((node) => node.type === 'ReturnStatement' && isOwn(node))
      .flatMap((node) => childOf(node, 'argument') ?? [])
      .map((node) => [node, at])
  }

  /** A parameter of a function that was not entered by a call takes the arguments of its callers, if they are few. */
  #spellName(node: Node, place: Place, depth: number): readonly string[] {
    const declared = resolve(place.source, node, nameOf(node))
    if (declared?.kind !== 'param' || depth > DEEPEST / 2) return [placeholder(node)]
    if (place.call?.fn === declared.fn) return [''] // this caller omits the argument
    const given = this.callsOf(place.source, declared.fn).flatMap(
      ([call, from]): readonly Placed[] => {
        const arg = listOf(call, 'arguments')[declared.index] ?? declared.otherwise
        return arg ? [[arg, from]] : []
      },
    )
    const ways = [...new Set(given.flatMap((one) => this.textsOf(one, depth + 2)))]
    const isPlain = ways.every((way) => /[a-z]/.test(way))
    return ways.length > 0 && ways.length <= MOST_WAYS && isPlain ? ways : [placeholder(node)]
  }

  #few(placed: Placed, depth: number): readonly string[] {
    const ways = this.textsOf(placed, depth)
    return ways.length > MOST_WAYS ? [placeholder(placed[0])] : ways
  }

  /** The expression that gives a name its value; undefined if the value is only known at run time. */
  #origin(node: Node, place: Place): Placed | undefined {
    const name = nameOf(node)
    if (place.object?.name === name) return [place.object.node, place.object.from]
    const found = this.#declared(place.source, node, name)
    if (!found) return undefined
    const { declared, source } = found
    if (declared.kind === 'value') {
      // In the same file, the call by which the function was entered is still known.
      return [declared.node, source === place.source ? place : { source }]
    }
    return declared.kind === 'param' ? givenTo(declared, place) : undefined
  }

  #declared(
    source: Source,
    at: Node,
    name: string,
  ): { readonly declared: Declared; readonly source: Source } | undefined {
    const declared = resolve(source, at, name)
    if (declared?.kind !== 'import') return declared && { declared, source }
    const file = declared.from.split('/').at(-1) ?? ''
    const from = this.#sources.find(({ path }) => path.endsWith(`/${file}`))
    const there = from && rootScope(from)?.get(declared.name)
    return there && { declared: there, source: from }
  }

  /** Members by `TABLE[key]` or `TABLE.key`, or of an object that is known; a computed key means any member. */
  #members(node: Node, place: Place, depth: number): readonly Placed[] {
    const object = childOf(node, 'object')
    if (!object || depth > DEEPEST) return []
    if (node['computed'] !== true) {
      return this.property([object, place], nameOf(childOf(node, 'property')))
    }
    return this.follow([object, place], depth + 1).flatMap(([table, at]) =>
      listOf(table, table.type === 'ArrayExpression' ? 'elements' : 'properties')
        .flatMap((one) => childOf(one, 'value') ?? [])
        .flatMap((value) => this.follow([value, at], depth + 1)),
    )
  }
}

/** The argument for a parameter, from the call by which the function was entered. */
function givenTo(
  { fn, index, otherwise }: Extract<Declared, { readonly kind: 'param' }>,
  place: Place,
): Placed | undefined {
  if (place.call?.fn !== fn) return undefined
  const given = place.call.args[index]
  if (given) return [given, place.call.from]
  return otherwise && [otherwise, place]
}

/** A `+` with a text on either side; two numbers that are added are no text. */
function isConcatenation(node: Node): boolean {
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return false
  return [childOf(node, 'left'), childOf(node, 'right')].some(
    (side) =>
      side?.type === 'TemplateLiteral' ||
      typeof side?.['value'] === 'string' ||
      (side !== undefined && isConcatenation(side)),
  )
}

function rootScope({ nodes, scopes }: Source): ReadonlyMap<string, Declared> | undefined {
  return nodes[0] && scopes.get(nodes[0])
}

/** All combinations of the variants of each part, in order, up to one more than `MOST_WAYS`. */
function joined(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.reduce<readonly string[]>(
    (before, ways) =>
      before.flatMap((text) => ways.map((way) => text + way)).slice(0, MOST_WAYS + 1),
    [''],
  )
}

function quoted(node: Node | undefined): string {
  return `"${node ? placeholder(node) : UNKNOWN}"`
}

/** The placeholder for a value, named as a person would: `server.id` is the SERVER. */
function placeholder(written: Node): string {
  const node = bare(written)
  if (node.type === 'Identifier') return capitals(nameOf(node))
  if (node.type === 'MemberExpression') {
    const property = childOf(node, 'property')
    const object = childOf(node, 'object')
    const isName = /^(?:id|name|slug|title|length)$/.test(nameOf(property))
    return capitals(nameOf(isName && object?.type === 'Identifier' ? object : property)) || UNKNOWN
  }
  const [first] =
    node.type === 'CallExpression' ? listOf(node, 'arguments') : [childOf(node, 'left')]
  return first && first.type !== 'SpreadElement' ? placeholder(first) : UNKNOWN
}

function capitals(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1-$2').toUpperCase()
}
