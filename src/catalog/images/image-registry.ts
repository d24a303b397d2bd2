/** The registry of an image, and how it is reached from this machine: authorities and proxy of the environment. */
import path from 'node:path'
import type { NpmPlace, NpmSettings } from '../install/npm-settings.ts'
import { readProxy } from '../install/read-proxy.ts'
import { readTrust } from '../install/read-trust.ts'
import type { PythonIndex } from '../python/python-index.ts'
import { cannotInstallImage } from './image-errors.ts'
import { registryPlace } from './image-reference.ts'
import type { WantedImage } from './wanted-image.ts'

/** Without a path, and never with a login: public images only. */
export type ImageRegistry = PythonIndex

/** At least two labels, the last of them not a number: an IP address is refused. */
const FULL_NAME = /^[\w.-]+\.[a-z][\w-]*$/

export async function readImageRegistry(
  place: NpmPlace,
  { reference, what }: Pick<WantedImage, 'reference' | 'what'>,
): Promise<ImageRegistry> {
  const { host, port } = registryPlace(reference)
  if (!FULL_NAME.test(host)) {
    const why = `the registry ${JSON.stringify(host)} has no full host name`
    throw cannotInstallImage('registry-setting', what, why)
  }
  const url = `https://${host}${port === 443 ? '' : `:${port}`}`
  const settings = ofEnvironment(place)
  const trust = await readTrust(settings)
  const proxy = readProxy(settings, url, what)
  return { url, host, port, moreHosts: [], trust, ...(proxy && { proxy }), login: {} }
}

function ofEnvironment({ environment, homeFolder }: NpmPlace): NpmSettings {
  return {
    get: () => undefined,
    all: () => [],
    keys: new Set(),
    variable(name) {
      const found = Object.keys(environment).find((one) => one.toLowerCase() === name)
      return (found !== undefined && environment[found]) || undefined
    },
    resolve: (file) => path.resolve(homeFolder, file),
  }
}
