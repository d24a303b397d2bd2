/** The one spelling of a Python package's name, of the several that an index takes for the same (PEP 503). Pure. */

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/

export function normalName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase()
}

export function isPythonName(name: string): boolean {
  return NAME.test(name)
}
