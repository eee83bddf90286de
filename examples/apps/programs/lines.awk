# Lines of code: without blank lines, comments and docstrings.
/^[ \t]*"""/ { doc = !sub(/""".*"""/, ""); next }
doc { if (/"""/) doc = 0; next }
/^[ \t]*($|\/\/|#[^\[])/ { next }
{ lines++ }
END { print lines + 0 }
