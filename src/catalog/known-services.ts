/** Every known service, in the order in which people are likely to look for it. To add one: a file, and a line here. */
import type { Service } from '../ports/service-facts.ts'
import { airbnb } from './known/airbnb.ts'
import { airtable } from './known/airtable.ts'
import { anthropic } from './known/anthropic.ts'
import { atlassian } from './known/atlassian.ts'
import { braveSearch } from './known/brave-search.ts'
import { chromeDevtools } from './known/chrome-devtools.ts'
import { cloudflare } from './known/cloudflare.ts'
import { context7 } from './known/context7.ts'
import { discord } from './known/discord.ts'
import { everything } from './known/everything.ts'
import { exa } from './known/exa.ts'
import { webFetch } from './known/fetch.ts'
import { figma } from './known/figma.ts'
import { filesystem } from './known/filesystem.ts'
import { firecrawl } from './known/firecrawl.ts'
import { github } from './known/github.ts'
import { gitlab } from './known/gitlab.ts'
import { googleCalendar } from './known/google-calendar.ts'
import { googleDrive } from './known/google-drive.ts'
import { hubspot } from './known/hubspot.ts'
import { linear } from './known/linear.ts'
import { memory } from './known/memory.ts'
import { mongodb } from './known/mongodb.ts'
import { notion } from './known/notion.ts'
import { openai } from './known/openai.ts'
import { outlook } from './known/outlook.ts'
import { perplexity } from './known/perplexity.ts'
import { playwright } from './known/playwright.ts'
import { puppeteer } from './known/puppeteer.ts'
import { postgres } from './known/postgres.ts'
import { postman } from './known/postman.ts'
import { redis } from './known/redis.ts'
import { resend } from './known/resend.ts'
import { sendgrid } from './known/sendgrid.ts'
import { sentry } from './known/sentry.ts'
import { sequentialThinking } from './known/sequential-thinking.ts'
import { slack } from './known/slack.ts'
import { sqlite } from './known/sqlite.ts'
import { stripe } from './known/stripe.ts'
import { supabase } from './known/supabase.ts'
import { tavily } from './known/tavily.ts'
import { telegram } from './known/telegram.ts'
import { todoist } from './known/todoist.ts'
import { twilio } from './known/twilio.ts'
import { vendorRemotes } from './vendor-remotes.ts'

const OWN: readonly Service[] = [
  notion,
  github,
  gitlab,
  slack,
  linear,
  atlassian,
  googleDrive,
  googleCalendar,
  postgres,
  sqlite,
  stripe,
  sentry,
  braveSearch,
  tavily,
  exa,
  filesystem,
  memory,
  sequentialThinking,
  everything,
  webFetch,
  playwright,
  puppeteer,
  chromeDevtools,
  figma,
  supabase,
  cloudflare,
  airtable,
  hubspot,
  mongodb,
  redis,
  sendgrid,
  resend,
  outlook,
  discord,
  telegram,
  todoist,
  airbnb,
  context7,
  firecrawl,
  perplexity,
  twilio,
  postman,
  openai,
  anthropic,
]

export const KNOWN_SERVICES: readonly Service[] = [...OWN, ...vendorRemotes(OWN)]
