-- Turns a page of docs/ into a manual page, for tools/man/pages, which sets: name ("crigate"), pages (a list of
-- "operations.md=crigate(8)"), and docs (where the other pages are installed).

local manual = {} -- "operations.md" -> {"crigate", "8"}
local docs, page_name
local others, seen = {}, {}

local function join(first, second)
    local all = {}
    for _, list in ipairs({first, second}) do
        for _, one in ipairs(list) do
            table.insert(all, one)
        end
    end
    return all
end

local function read_settings(meta)
    for pair in pandoc.utils.stringify(meta.pages):gmatch("%S+") do
        local file, name, section = pair:match("(.-)=(.-)%((.-)%)")
        manual[file] = {name, section}
    end
    docs = pandoc.utils.stringify(meta.docs)
    page_name = pandoc.utils.stringify(meta.name)
    meta.pages, meta.docs, meta.name = nil, nil, nil
    return meta
end

-- Text that stays as it is: with hyphens that can be copied into a shell, and quotation marks that troff leaves alone.
local function verbatim(text)
    local special = {["\\"] = "\\[rs]", ["-"] = "\\-", ["'"] = "\\[aq]", ["`"] = "\\[ga]", ["^"] = "\\[ha]", ["~"] = "\\[ti]"}
    return (text:gsub("[\\%-'`^~]", special))
end

-- What is typed as it stands is bold, as manual pages have it.
local function code(element)
    return pandoc.RawInline("man", "\\f[B]" .. verbatim(element.text) .. "\\f[R]")
end

-- An example. A line of it must not be taken for a request.
local function code_block(element)
    local lines = ("\n" .. verbatim(element.text)):gsub("\n%.", "\n\\&.")
    return pandoc.RawBlock("man", ".IP\n.nf" .. lines .. "\n.fi")
end

-- A reference to another manual page, or the text alone; pages that are no manual pages are listed at the end.
local function link(element)
    local target = element.target
    if target:match("^%a+://") then
        return join(element.content, {pandoc.Space(), pandoc.Str("<" .. target .. ">")})
    end
    local file = target:match("([^/#]+)[#]?[^/]*$")
    local page = not target:match("^#") and manual[file]
    if page then
        local name, text = pandoc.Strong(pandoc.Str(page[1])), pandoc.utils.stringify(element.content)
        if text == page[1] or text == file or text == page[1]:gsub("-", " ") then
            return {name, pandoc.Str("(" .. page[2] .. ")")}
        end
        return join(element.content, {pandoc.Str(" ("), name, pandoc.Str("(" .. page[2] .. "))")})
    end
    if file and file:match("%.md$") and not seen[file] then
        seen[file] = true
        table.insert(others, file)
    end
    return element.content
end

local function cells(row)
    local list = {}
    for _, cell in ipairs(row.cells) do
        table.insert(list, cell.contents)
    end
    return list
end

local function inlines(blocks)
    return #blocks > 0 and pandoc.utils.blocks_to_inlines(blocks) or {}
end

-- A table becomes a list: its first column are the terms. Of more than two columns, each has its heading in front.
local function list_of(element)
    local headings, items = {}, {}
    for _, contents in ipairs(cells(element.head.rows[1])) do
        table.insert(headings, pandoc.utils.stringify(contents))
    end
    for _, body in ipairs(element.bodies) do
        for _, row in ipairs(body.body) do
            local contents = cells(row)
            local definition = {}
            for i = 2, #contents do
                local text = inlines(contents[i])
                if #text > 0 and #contents > 2 then
                    text = join({pandoc.Emph(pandoc.Str(headings[i] .. ":")), pandoc.Space()}, text)
                end
                if #text > 0 then
                    table.insert(definition, pandoc.Para(text))
                end
            end
            if #definition == 0 then
                definition = {pandoc.Plain({pandoc.Str("-")})}
            end
            table.insert(items, {inlines(contents[1]), {definition}})
        end
    end
    return pandoc.DefinitionList(items)
end

-- The title is that of the manual page. Sections are in capitals; there are two levels.
local function header(element)
    if element.level == 1 then
        return {}
    end
    element.level = element.level - 1
    if element.level == 1 then
        element.content = {pandoc.Str(pandoc.utils.stringify(element.content):upper())}
    elseif element.level > 2 then
        return pandoc.Para({pandoc.Strong(element.content)})
    end
    return element
end

-- What whatis(1) reads: the name bare, and one line.
local function name_section(blocks)
    for i, block in ipairs(blocks) do
        if block.t == "Header" and block.level == 1 and pandoc.utils.stringify(block.content) == "NAME" then
            local text = pandoc.utils.stringify(blocks[i + 1]):gsub("%s+", " ")
            blocks[i + 1] = pandoc.RawBlock("man", page_name .. " \\- " .. text:match("^.- [-–] (.*)$"))
            return
        end
    end
end

local function finish(document)
    name_section(document.blocks)
    if #others > 0 then
        table.sort(others)
        table.insert(document.blocks, pandoc.Header(1, {pandoc.Str("OTHER PAGES")}))
        local names = {}
        for i, file in ipairs(others) do
            table.insert(names, pandoc.Str(file .. (i < #others and "," or "")))
            table.insert(names, pandoc.Space())
        end
        table.insert(document.blocks, pandoc.Para(join({pandoc.Str("In"), pandoc.Space(), pandoc.Emph(pandoc.Str(docs)),
            pandoc.Str(":"), pandoc.Space()}, names)))
    end
    return document
end

return {
    {Meta = read_settings},
    {Link = link},
    {Header = header, Table = list_of},
    {Pandoc = finish},
    {Code = code, CodeBlock = code_block},
}
