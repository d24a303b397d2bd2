/** The source of Cordon as syntax trees, with the declaration of each name. Reads files; never runs them. */
import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

export interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

export interface Source {
  readonly path: string
  /** All nodes of the file, in the order of the source. */
  readonly nodes: readonly Node[]
  readonly parents: ReadonlyMap<Node, Node>
  /** The names that each function, each block and the file itself declares. */
  readonly scopes: ReadonlyMap<Node, ReadonlyMap<string, Declared>>
}

/** The declaration behind a name. */
export type Declared =
  | { readonly kind: 'value'; readonly node: Node }
  | { readonly kind: 'function'; readonly node: Node }
  | { readonly kind: 'param'; readonly fn: Node; readonly index: number; readonly otherwise?: Node }
  /** A name bound by destructuring an object. */
  | { readonly kind: 'member' }
  | { readonly kind: 'import'; readonly from: string; readonly name: string }

const root = new URL('../../', import.meta.url)
const NOT_SHIPPED = ['**/*.test.ts', '**/fake-*.ts', '**/test-*.ts']

export function readShipped(): readonly Source[] {
  const paths = globSync('src/**/*.ts', { cwd: root, exclude: NOT_SHIPPED }).sort()
  return paths.map((path) => parseSource(path, readFileSync(new URL(path, root), 'utf8')))
}

export function parseSource(path: string, text: string): Source {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node
  const nodes: Node[] = []
  const parents = new Map<Node, Node>()
  const visit = (node: Node, parent?: Node): void => {
    nodes.push(node)
    if (parent) parents.set(node, parent)
    for (const child of childrenOf(node)) visit(child, node)
  }
  visit(program)
  const scopes = new Map<Node, Map<string, Declared>>()
  for (const node of nodes) {
    for (const [scope, name, declared] of declaredBy(node, parents)) {
      const known = scopes.get(scope) ?? new Map<string, Declared>()
      scopes.set(scope, known.set(name, declared))
    }
  }
  return { path, nodes, parents, scopes }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

export function childOf(node: Node, key: string): Node | undefined {
  const child = node[key]
  return isNode(child) ? child : undefined
}

export function listOf(node: Node, key: string): readonly Node[] {
  const list = node[key]
  return Array.isArray(list) ? list.filter(isNode) : []
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

/** The name of an identifier, or the text of a string literal. */
export function nameOf(node: Node | undefined): string {
  const name = node?.['name'] ?? node?.['value']
  return typeof name === 'string' ? name : ''
}

const WRAPPERS = new Set([
  'AwaitExpression',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
])

/** The expression without parentheses, `await` and type assertions around it. */
export function bare(node: Node): Node {
  const inner = WRAPPERS.has(node.type)
    ? (childOf(node, 'expression') ?? childOf(node, 'argument'))
    : undefined
  return inner ? bare(inner) : node
}

export function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)
}

function isScope(node: Node): boolean {
  return isFunction(node) || node.type === 'BlockStatement' || node.type === 'Program'
}

/** The declaration of a name at this place, searched from the innermost block outwards. */
export function resolve(source: Source, at: Node, name: string): Declared | undefined {
  for (let scope = source.parents.get(at); scope; scope = source.parents.get(scope)) {
    const declared = source.scopes.get(scope)?.get(name)
    if (declared) return declared
  }
  return undefined
}

/** The name of a function; empty if it has none. */
export function functionName(source: Source, fn: Node): string {
  const parent = source.parents.get(fn)
  const isNamed = parent?.type === 'VariableDeclarator'
  return nameOf(childOf(fn, 'id') ?? (isNamed ? childOf(parent, 'id') : undefined))
}

type Entry = readonly [scope: Node, name: string, declared: Declared]

function declaredBy(node: Node, parents: ReadonlyMap<Node, Node>): readonly Entry[] {
  if (node.type === 'VariableDeclarator') return declaredByVariable(node, scopeOf(node, parents))
  if (node.type === 'ImportDeclaration') return declaredByImport(node, parents)
  if (!isFunction(node)) return []
  const params = listOf(node, 'params').flatMap((param, index) =>
    declaredByParam(node, param, index),
  )
  const name = nameOf(childOf(node, 'id'))
  const own: Entry = [scopeOf(node, parents), name, { kind: 'function', node }]
  return name === '' ? params : [own, ...params]
}

function scopeOf(node: Node, parents: ReadonlyMap<Node, Node>): Node {
  let at = parents.get(node) ?? node
  while (!isScope(at)) at = parents.get(at) ?? at
  return at
}

function declaredByVariable(node: Node, scope: Node): readonly Entry[] {
  const id = childOf(node, 'id')
  const init = childOf(node, 'init')
  if (!id || !init) return []
  if (id.type !== 'Identifier') return membersIn(id).map((name) => [scope, name, MEMBER])
  const value = bare(init)
  const kind = isFunction(value) ? 'function' : 'value'
  return [[scope, nameOf(id), { kind, node: value }]]
}

function declaredByImport(node: Node, parents: ReadonlyMap<Node, Node>): readonly Entry[] {
  const from = nameOf(childOf(node, 'source'))
  return listOf(node, 'specifiers').map((one) => {
    const declared = { kind: 'import', from, name: nameOf(childOf(one, 'imported')) } as const
    return [scopeOf(node, parents), nameOf(childOf(one, 'local')), declared]
  })
}

function declaredByParam(fn: Node, param: Node, index: number): readonly Entry[] {
  const isOptional = param.type === 'AssignmentPattern'
  const target = isOptional ? (childOf(param, 'left') ?? param) : param
  const otherwise = isOptional ? childOf(param, 'right') : undefined
  if (target.type !== 'Identifier') return membersIn(target).map((name) => [fn, name, MEMBER])
  return [[fn, nameOf(target), { kind: 'param', fn, index, ...(otherwise && { otherwise }) }]]
}

const MEMBER = { kind: 'member' } as const

/** The names that a pattern such as `{ code, hint: h }` binds. */
function membersIn(pattern: Node): readonly string[] {
  return listOf(pattern, 'properties').map((property) => {
    const value = childOf(property, 'value') ?? childOf(property, 'argument')
    return nameOf(value?.type === 'AssignmentPattern' ? childOf(value, 'left') : value)
  })
}
