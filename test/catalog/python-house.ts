/** Installs of Python packages from the stand-in index, in the real sandbox, for tests. */
import type { InstalledPackage } from '../../src/ports/catalog-port.ts'
import type { ServiceLaunch } from '../../src/ports/service-facts.ts'
import { never } from '../../src/kernel/test-never.ts'
import { PIP_SETTINGS, type PythonIndexServer, type PythonPages } from '../fixtures/python-index.ts'
import { egressTo, openPackageHouse, type PackageHouse } from './package-house.ts'

export function openPythonHouse(
  index: PythonIndexServer,
  changes: Parameters<typeof openPackageHouse>[1] = {},
): Promise<PackageHouse> {
  return openPackageHouse(egressTo(index.port), { environment: PIP_SETTINGS, ...changes })
}

type PythonLaunch = Extract<ServiceLaunch, { kind: 'pypi' }>

/** Installs version 1.0 under the slug `it`; `more` overrides the launch. */
export function installPython(
  { packages }: PackageHouse,
  name: string,
  more: Partial<PythonLaunch> = {},
): Promise<InstalledPackage> {
  const launch = { kind: 'pypi', package: name, version: '1.0', args: [], ...more } as const
  return packages.install('it', launch, () => undefined, never)
}

/** A server that speaks MCP over stdio with Python's own modules, and uses its dependency `tiny_words`. */
export const SERVER_SOURCE = `
import json, os, sys
from tiny_words import greet

TOOLS = [{"name": "greet", "description": "Greets a person", "inputSchema": {
    "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}]

def answer(message):
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}}, "serverInfo": {"name": "tiny", "version": "1.0"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text = greet((params.get("arguments") or {}).get("name", ""))
        return {"content": [{"type": "text", "text": text}]}
    return {}

def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}
        sys.stdout.write(json.dumps(reply) + "\\n")
        sys.stdout.flush()
`

/** Adds the package `tiny-mcp` with its dependency to an index. Returns its integrity. */
export function addTinyServer(
  index: PythonPages,
  version = '1.0',
  change: (source: string) => string = (source) => source,
): string {
  if (version === '1.0') {
    index.add({
      name: 'tiny-words',
      files: { 'tiny_words/__init__.py': 'def greet(name):\n    return "Hello " + name\n' },
    })
  }
  return index.add({
    name: 'tiny-mcp',
    version,
    files: {
      'tiny_mcp/__init__.py': change(SERVER_SOURCE),
      'tiny_mcp/__main__.py': 'from tiny_mcp import main\nmain()\n',
    },
    programs: { 'tiny-mcp': 'tiny_mcp:main' },
    requires: [
      'tiny-words>=1.0,<2 ; python_version >= "3.8"',
      'colorama ; sys_platform == "win32"',
    ],
    readme: 'mcp-name: io.example/tiny\n',
  })
}
