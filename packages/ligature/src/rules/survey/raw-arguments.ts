/** Key under which text that is no JSON object is carried as arguments (L7). Never execute a call that has it. */
export const rawArgumentsKey = "_invalid_json"
