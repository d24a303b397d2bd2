/**
 * Python servers for the measurement of starts, laid out as an install leaves them: one on the official SDK, as most are,
 * where pip gets it; and one that only imports the standard modules which that SDK imports before its first answer.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { finishTree } from '../../src/catalog/install/finish-tree.ts'
import { spellStart } from '../../src/catalog/python/spell-start.ts'
import { sdkWheels } from '../../test/fixtures/python-sdk.ts'

export const PYTHON = '/usr/bin/python3'

const SERVER = `
import argparse, asyncio, base64, concurrent.futures, contextlib, contextvars, csv, dataclasses, datetime, decimal
import email.message, email.parser, enum, fractions, functools, hashlib, hmac, http.client, http.cookiejar, http.server
import importlib.metadata, inspect, ipaddress, json, logging.config, mimetypes, multiprocessing, pathlib, pickle
import platform, pprint, queue, random, secrets, shutil, socket, sqlite3, ssl, statistics, subprocess, sys, tarfile
import tempfile, textwrap, threading, tomllib, traceback, typing, unittest.mock, urllib.request, uuid, weakref
import xml.etree.ElementTree, zipfile, zoneinfo

def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "tools/list":
            result = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
        else:
            version = (message.get("params") or {}).get("protocolVersion", "2025-06-18")
            result = {"protocolVersion": version, "capabilities": {"tools": {}},
                      "serverInfo": {"name": "bench", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

if __name__ == "__main__":
    main()
`

const ON_SDK = `
from mcp.server import MCPServer

server = MCPServer("bench")

@server.tool()
def one(text: str) -> str:
    return text

def main():
    server.run()

if __name__ == "__main__":
    main()
`

export interface PythonServer {
  /** The start file of the installed copy. */
  readonly entry: string
  /** The modules of the plain copy, compiled as well. */
  readonly site: string
}

export async function installPythonServer(home: string): Promise<PythonServer> {
  return await install(home, 'bench', (site) => {
    writeFileSync(path.join(site, 'bench_server.py'), SERVER)
  })
}

/** Undefined where pip does not get the SDK. */
export async function installSdkServer(home: string): Promise<PythonServer | undefined> {
  const wheels = sdkWheels()
  if (wheels === undefined) return undefined
  return await install(home, 'sdk', (site) => {
    writeFileSync(path.join(site, 'bench_server.py'), ON_SDK)
    for (const wheel of readdirSync(wheels)) {
      execFileSync(PYTHON, ['-m', 'zipfile', '-e', path.join(wheels, wheel), site])
    }
  })
}

async function install(
  home: string,
  name: string,
  fill: (site: string) => void,
): Promise<PythonServer> {
  const folder = path.join(home, 'packages', `${name}@1.0`)
  for (const one of ['site', 'bin']) mkdirSync(path.join(folder, one), { recursive: true })
  fill(path.join(folder, 'site'))
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}')
  const facts = execFileSync(PYTHON, ['-c', 'import sys;print(*sys.version_info[:2])']).toString()
  const [major = 3, minor = 0] = facts.split(' ').map(Number)
  const entry = path.join(folder, 'bin/bench.py')
  const start = { module: 'bench_server', call: 'main' }
  writeFileSync(entry, spellStart('bench', start, [major, minor]))
  const site = path.join(home, `plain-${name}`)
  cpSync(path.join(folder, 'site'), site, { recursive: true })
  execFileSync(PYTHON, ['-m', 'compileall', '-q', site])
  const how = ['--invalidation-mode', 'unchecked-hash']
  execFileSync(PYTHON, ['-m', 'compileall', '-q', ...how, path.join(folder, 'site')])
  await finishTree(folder, () => ({
    package: name,
    version: '1.0',
    integrity: 'sha256-',
    packages: 1,
    refusedScripts: [],
  }))
  return { entry, site }
}
