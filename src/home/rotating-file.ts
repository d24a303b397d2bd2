/**
 * An append-only file that is rotated when full: it becomes `<path>.1`, the former `<path>.1` becomes `<path>.2`, and
 * the oldest is deleted. Whole lines only: a line that does not fit on the disk is truncated away again.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { explainDiskError } from './disk-error.ts'

export interface RotatingFile {
  append(line: string): void
  close(): void
}

interface OpenFile {
  readonly fd: number
  size: number
}

export function openRotatingFile(path: string, maxBytes: number, keep: number): RotatingFile {
  // Undefined while the file is closed: the number of a closed descriptor may already belong to another file.
  let current: OpenFile | undefined = openForAppend(path)
  let closed = false

  function shut(): void {
    const file = current
    current = undefined
    if (file) closeSync(file.fd)
  }

  return {
    append(line) {
      if (closed) throw new Error('The file is closed')
      const bytes = Buffer.from(line)
      if (current && current.size > 0 && current.size + bytes.length > maxBytes) {
        shut()
        rotate(path, keep)
      }
      current ??= openForAppend(path)
      appendWhole(current, bytes)
    },
    close() {
      closed = true
      if (current) fdatasyncSync(current.fd)
      shut()
    },
  }
}

function openForAppend(path: string): OpenFile {
  try {
    const fd = openSync(path, 'a', 0o600)
    fchmodSync(fd, 0o600)
    return { fd, size: fstatSync(fd).size }
  } catch (error) {
    throw explainDiskError(path, error)
  }
}

function appendWhole(file: OpenFile, bytes: Buffer): void {
  const written = writeSync(file.fd, bytes)
  if (written < bytes.length) {
    ftruncateSync(file.fd, file.size)
    throw new Error('Only a part of the line fits on the disk')
  }
  file.size += written
}

function rotate(path: string, keep: number): void {
  for (let age = keep - 1; age >= 1; age--) {
    if (existsSync(`${path}.${age}`)) renameSync(`${path}.${age}`, `${path}.${age + 1}`)
  }
  renameSync(path, `${path}.1`)
}
