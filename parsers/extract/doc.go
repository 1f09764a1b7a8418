// Package extract makes a small bundle out of a large one: the lines that a
// verdict rests on with what is around them, and the objects that they need.
// Whether it is enough, only an analysis can tell: the caller judges every try.
package extract
