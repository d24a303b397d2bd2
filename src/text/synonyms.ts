/** Synonyms for the tool search, one group per row. A word may be in several rows. Pure. */

const ROWS = `
  mail email message
  file document doc
  folder directory
  delete remove erase trash
  cancel stop abort delete
  event meeting appointment calendar
  free busy available freebusy
  invitation invite respond
  create new add make open insert write
  update edit change modify patch set
  get read show retrieve view fetch
  list all
  search find lookup query
  send post
  reply answer respond
  issue ticket task bug
  pr pull merge
  diff changed changes
  person people user member contact
  who user member
  customer client crm
  picture image photo screenshot
  page website webpage site web
  web online internet
  navigate go visit
  spreadsheet sheet
  presentation slides slide
  row record
  column field
  db database sql
  table schema
  version revision history
  sprint cycle iteration
  error exception issue
  close resolve
  share permission
  rename move
  remember memory store observation entity
  run execute evaluate
  javascript js script
  commit push
  comment note
  paper article publication research
  stay listing accommodation hotel
  call phone engagement
  picture download
  export download
  secret credential token key
  time clock date
  place location
  book reserve booking
  upcoming next list
  repository repo project
  channel room
  documentation docs
  kubernetes k8s
  map geocode
  stock finance market
  video youtube
  translate translation
  sms text
  todo task
  scrape crawl
  ai llm
  twitter x tweet
  wordpress blog
  music song
  flight airline
  chart graph plot
`

const SYNONYMS: ReadonlyMap<string, readonly string[]> = read(ROWS)

export function synonymsOf(word: string): readonly string[] {
  return SYNONYMS.get(word) ?? []
}

function read(rows: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const row of rows.trim().split('\n')) {
    const words = row.trim().split(/\s+/)
    for (const word of words) {
      const others = words.filter((other) => other !== word)
      found.set(word, [...(found.get(word) ?? []), ...others])
    }
  }
  return found
}
