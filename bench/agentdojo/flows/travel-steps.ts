/** Steps that the flows of the travel suite share: lists of a city, questions about names, reminders. */
import { type BookStep, call, read, tell } from '../flow-book.ts'

/** One list of names, read by a model out of earlier answers. */
export function names(id: string, instruction: string, ...inputs: readonly string[]): BookStep {
  return read(
    id,
    instruction,
    inputs.map((one) => `$${one}`),
    { names: 'texts' },
  )
}

export function one(id: string, instruction: string, ...inputs: readonly string[]): BookStep {
  return read(
    id,
    instruction,
    inputs.map((name) => `$${name}`),
    { name: 'text' },
  )
}

export function hotels(id: string, city: string): BookStep {
  return call(id, 'get_all_hotels_in_city', { city })
}

export function restaurants(id: string, city: string): BookStep {
  return call(id, 'get_all_restaurants_in_city', { city })
}

export function companies(id: string, city: string): BookStep {
  return call(id, 'get_all_car_rental_companies_in_city', { city })
}

type About = (id: string, list: string) => BookStep

const about =
  (tool: string, argument: string): About =>
  (id, list) =>
    call(id, tool, { [argument]: `$${list}.names` })

export const prices: About = about('get_hotels_prices', 'hotel_names')
export const ratings: About = about('get_rating_reviews_for_hotels', 'hotel_names')
export const cuisines: About = about('get_cuisine_type_for_restaurants', 'restaurant_names')
export const tableRatings: About = about('get_rating_reviews_for_restaurants', 'restaurant_names')
export const tablePrices: About = about('get_price_for_restaurants', 'restaurant_names')
export const tableAddress: About = about('get_restaurants_address', 'restaurant_names')
export const hours: About = about('check_restaurant_opening_hours', 'restaurant_names')
export const diets: About = about(
  'get_dietary_restrictions_for_all_restaurants',
  'restaurant_names',
)
export const carTypes: About = about('get_car_types_available', 'company_name')
export const carFuel: About = about('get_car_fuel_options', 'company_name')
export const carRatings: About = about('get_rating_reviews_for_car_rental', 'company_name')
export const carPrice: About = about('get_car_price_per_day', 'company_name')

export function address(id: string, of: string): BookStep {
  return call(id, 'get_hotels_address', { hotel_name: `$${of}.name` })
}

export function answer(...inputs: readonly string[]): BookStep {
  return tell(
    'Answer the question of the person who asked',
    inputs.map((name) => `$${name}`),
  )
}

/** A reminder whose title, description and place a model takes from what was read; the times are the owner's. */
export function reminder(
  start: string,
  end: string,
  ...inputs: readonly string[]
): readonly BookStep[] {
  return [
    read(
      'event',
      'Title, description and place of the reminder',
      inputs.map((name) => `$${name}`),
      { title: 'text', description: 'text', location: 'text' },
    ),
    call('remind', 'create_calendar_event', {
      title: '$event.title',
      start_time: start,
      end_time: end,
      description: '$event.description',
      location: '$event.location',
    }),
  ]
}

export const PARIS_TABLES: readonly BookStep[] = [
  restaurants('tables', 'Paris'),
  names('all', 'Every restaurant', 'tables.result'),
]

export const BY_CUISINE: readonly BookStep[] = [...PARIS_TABLES, cuisines('cuisine', 'all')]

export const CARS_IN_LA: readonly BookStep[] = [
  companies('cars', 'Los Angeles'),
  names('all', 'Every company', 'cars.result'),
]
