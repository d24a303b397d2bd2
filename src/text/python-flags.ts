/**
 * The options with which Cordon starts Python: `-I`, no variable and no folder of a user counts; `-S`, no `.pth` file and
 * none of the machine's packages; `-B`, no bytecode is written.
 */
export const PYTHON_FLAGS = '-ISB'
