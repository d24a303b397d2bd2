/** Renders a node as a TypeScript class (`registry export --ts`). Untrusted text stays in comments and literals. */
import { showTool } from '../../kernel/tool-id.ts'
import { DEFAULT_ACTION } from '../engine/error-actions.ts'
import type { NodeDescriptor, NodeInput, NodeParam, NodePin } from './node-descriptor.ts'

export function renderDescriptorTs(node: NodeDescriptor): string {
  const { pin, purity, effect, sideEffects } = node
  const lines = [
    '/**',
    ` * ${comment(node.description ?? node.title)}`,
    ' *',
    ' * Interface:',
    ...interfaceLines(node).map((line) => ` * - ${comment(line)}`),
    ...(pin ? [' *', ` * MCP Source: ${comment(sourceOf(pin))}`] : []),
    ' */',
    `export class ${classNameOf(node.id)} {`,
    `  static readonly id = ${literal(node.id)}`,
    ...(pin ? pinLines(pin) : []),
    `  static readonly effect = ${literal(effect)}`,
    `  static readonly purity = ${literal(purity)}`,
    ...(sideEffects
      ? [`  static readonly sideEffects: readonly string[] = ${literal(sideEffects)}`]
      : []),
    `  static readonly actions = ${literal(node.actions)} as const`,
    '',
    ...node.params.map(
      (one) => `  ${key(one.name)}: ${typeText(one.type)} = ${literal(one.default)}`,
    ),
    ...(node.params.length > 0 ? [''] : []),
    '  /** Reads its keys from the shared store. */',
    `  prep(shared: { ${node.inputs.map(inputText).join('; ')} }) {`,
    ...node.inputs.filter(({ required }) => required).flatMap(missingLines),
    `    return { ${argumentsText(node)} }`,
    '  }',
    ...(pin ? callLines(pin) : []),
    '}',
    '',
  ]
  return lines.join('\n')
}

/** `github/search_code v1.2.0`. */
export function sourceOf({ tool, version }: NodePin): string {
  const source = `${tool.server}/${tool.name}`
  return version === undefined ? source : `${source} v${version}`
}

/** The inputs, outputs, params and actions of a node, as lines of text. */
export function interfaceLines({
  inputs,
  params,
  outputs,
  actions,
}: NodeDescriptor): readonly string[] {
  const about = (description: string | undefined): string =>
    description ? ` - ${description}` : ''
  return [
    ...inputs.map(
      (one) =>
        `Reads: shared[${literal(one.name)}]${about(one.description)}${one.required ? '' : ' (optional)'}`,
    ),
    ...outputs.map((one) => `Writes: shared[${literal(one.name)}] - ${one.type}`),
    ...params.map(
      (one) => `Params: ${one.name} (default ${literal(one.default)})${about(one.description)}`,
    ),
    `Actions: ${actions.join(', ')}`,
  ]
}

function pinLines({ tool, hash, version }: NodePin): readonly string[] {
  return [
    `  static readonly mcpServerId = ${literal(tool.server)}`,
    `  static readonly mcpToolName = ${literal(tool.name)}`,
    ...(version === undefined ? [] : [`  static readonly mcpToolVersion = ${literal(version)}`]),
    `  static readonly mcpManifestHash = ${literal(`sha256:${hash}`)}`,
  ]
}

/** Cordon passes the policy before `call`, and refuses a tool that is not as `expected` says. */
function callLines({ tool, hash }: NodePin): readonly string[] {
  const expected = literal({ manifestHash: `sha256:${hash}` })
  return [
    '',
    '  /** Calls the tool as it was when this was written down. */',
    '  exec(input: unknown, call: (tool: string, input: unknown, expected: object) => unknown) {',
    `    return call(${literal(showTool(tool))}, input, ${expected})`,
    '  }',
    '',
    '  /** Writes its answer to the shared store. */',
    '  post(shared: { result?: unknown }, answer: unknown) {',
    '    shared.result = answer',
    `    return ${literal(DEFAULT_ACTION)}`,
    '  }',
  ]
}

function missingLines({ name }: NodeInput): readonly string[] {
  const message = literal(`Missing required '${name}' in shared store`)
  return [`    if (shared[${literal(name)}] === undefined) throw new Error(${message})`]
}

function inputText({ name, type, required }: NodeInput): string {
  return `readonly ${key(name)}${required ? '' : '?'}: ${typeText(type)}`
}

function argumentsText({ inputs, params }: NodeDescriptor): string {
  const given = inputs.map(({ name }) => `${key(name)}: shared[${literal(name)}]`)
  const own = params.map(({ name }: NodeParam) => `${key(name)}: this[${literal(name)}]`)
  return [...given, ...own].join(', ')
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['any', 'unknown'],
  ['integer', 'number'],
  ['array', 'readonly unknown[]'],
  ['object', 'Readonly<Record<string, unknown>>'],
])

function typeText(type: string): string {
  return type
    .split('|')
    .map((one) => (one.endsWith('[]') ? `readonly ${listText(one)}` : (TYPES.get(one) ?? one)))
    .join(' | ')
}

function listText(type: string): string {
  const item = type.replace(/(?:\[\])+$/, '')
  return `${TYPES.get(item) ?? item}${type.slice(item.length)}`
}

function classNameOf(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Node`
}

/** Always quoted, since a server chose the name. */
function key(name: string): string {
  return literal(name)
}

/** Escapes U+2028 and U+2029: JSON allows them in strings, but some readers take them for line ends. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16)}`,
  )
}

/** Escapes the end of a comment, so that the text stays within its comment. */
function comment(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/')
}
