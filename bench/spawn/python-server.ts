/**
 * A Python server for the measurement of starts, laid out as an install leaves it. It imports the standard modules that
 * servers with the official SDK import before their first answer; without them Python would start in 20 ms, which no real
 * server does.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { finishTree } from '../../src/catalog/install/finish-tree.ts'
import { spellStart } from '../../src/catalog/python/spell-start.ts'

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

/** The start file of the installed copy, and the folder of a plain one. */
export async function installPythonServer(home: string): Promise<{
  readonly entry: string
  readonly site: string
}> {
  const folder = path.join(home, 'packages', 'bench@1.0')
  for (const name of ['site', 'bin']) mkdirSync(path.join(folder, name), { recursive: true })
  writeFileSync(path.join(folder, 'site/bench_server.py'), SERVER)
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}')
  const facts = execFileSync(PYTHON, ['-c', 'import sys;print(*sys.version_info[:2])']).toString()
  const [major = 3, minor = 0] = facts.split(' ').map(Number)
  const entry = path.join(folder, 'bin/bench.py')
  const start = { module: 'bench_server', call: 'main' }
  writeFileSync(entry, spellStart('bench', start, [major, minor]))
  const site = path.join(home, 'plain-site')
  cpSync(path.join(folder, 'site'), site, { recursive: true })
  execFileSync(PYTHON, ['-m', 'compileall', '-q', site])
  const how = ['--invalidation-mode', 'unchecked-hash']
  execFileSync(PYTHON, ['-m', 'compileall', '-q', ...how, path.join(folder, 'site')])
  await finishTree(folder, () => ({
    package: 'bench',
    version: '1.0',
    integrity: 'sha256-',
    packages: 1,
    refusedScripts: [],
  }))
  return { entry, site }
}
