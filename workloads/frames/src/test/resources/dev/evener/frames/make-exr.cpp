// Writes, into the folder it is started in, small .exr files of kinds that make-exr.py cannot, with OpenEXR's own library, and for each
// of them NAME-read.exr, ZIP of half or float, with what that library reads of it. ExrKindsTest reads both.
//
// g++ -std=c++17 make-exr.cpp $(pkg-config --cflags --libs OpenEXR) -o make-exr, with Debian's libopenexr-dev.
#include <ImfArray.h>
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <ImfRgbaFile.h>
#include <ImfStandardAttributes.h>
#include <ImfTiledOutputFile.h>
#include <ImfTiledOutputPart.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace Imf;
using namespace Imath;
using std::string;
using std::vector;

/** Something smooth with edges, noise and a plain area, in steps that a half has and that compress well. */
static float value(int x, int y, int c) {
    if (x < 9 && y < 9) return 0.25f;
    unsigned hash = (x * 73856093u) ^ (y * 19349663u) ^ (c * 83492791u);
    float noise = (x / 8 + y / 8) % 3 == 0 ? (hash >> 8 & 7) / 64.f : 0;
    float edge = (x + 2 * y) / 13 % 3 == 0 ? 4.f : 0.5f;
    return edge * (1 + std::abs((x + 3 * c) % 16 - 8) / 16.f + std::abs(y % 32 - 16) / 32.f) + noise;
}

struct Kind {
    string name;
    Compression compression;
    PixelType type = HALF;
    vector<string> channels = {"R", "G", "B"};
    Box2i data = Box2i(V2i(0, 0), V2i(28, 36));
    Box2i display = Box2i(V2i(0, 0), V2i(28, 36));
    int tile = 0;
    LevelMode levels = ONE_LEVEL;
    LevelRoundingMode rounding = ROUND_DOWN;
    LineOrder order = INCREASING_Y;
    bool linear = false;
    bool light = false;  // luminance and chroma
};

static Header header(const Kind& kind) {
    Header h(kind.display, kind.data);
    h.compression() = kind.compression;
    h.lineOrder() = kind.order;
    for (const string& name : kind.channels) {
        bool other = name == "Z" || name == "id";  // types may be mixed
        h.channels().insert(name, Channel(name == "id" ? UINT : other ? FLOAT : kind.type, 1, 1, kind.linear));
    }
    if (kind.tile > 0) h.setTileDescription(TileDescription(kind.tile, kind.tile, kind.levels, kind.rounding));
    return h;
}

/** The samples of a part as floats, from which the library makes what a file has, and unsigned integers. */
struct Pixels {
    Header h;
    vector<vector<float>> floats;
    vector<vector<unsigned>> ints;
    FrameBuffer frame;

    Pixels(const Header& head, int seed) : h(head) {
        Box2i w = h.dataWindow();
        long width = w.max.x - w.min.x + 1, height = w.max.y - w.min.y + 1;
        int n = 0;
        for (auto c = h.channels().begin(); c != h.channels().end(); ++c) n++;
        floats.resize(n), ints.resize(n);
        n = 0;
        for (auto c = h.channels().begin(); c != h.channels().end(); ++c, ++n) {
            for (long y = 0; y < height; y++)
                for (long x = 0; x < width; x++) {
                    float fine = c.channel().type == FLOAT ? 1.0001f : 1;
                    floats[n].push_back(value(int(x), int(y), n + 10 * seed) * fine);
                    ints[n].push_back(unsigned(1000 * x + 70000 * y * n));
                }
            char* base = c.channel().type == UINT ? (char*)ints[n].data() : (char*)floats[n].data();
            frame.insert(c.name(), Slice(c.channel().type == UINT ? UINT : FLOAT, base - 4 * (w.min.x + w.min.y * width), 4, 4 * width));
        }
    }
};

/** Halves are made of floats beforehand, since the library does not convert what it writes. */
static void halves(Pixels& pixels, vector<vector<half>>& kept) {
    int n = 0;
    Box2i w = pixels.h.dataWindow();
    long width = w.max.x - w.min.x + 1;
    kept.resize(pixels.floats.size());
    for (auto c = pixels.h.channels().begin(); c != pixels.h.channels().end(); ++c, ++n) {
        if (c.channel().type != HALF) continue;
        kept[n].assign(pixels.floats[n].begin(), pixels.floats[n].end());
        pixels.frame.insert(c.name(), Slice(HALF, (char*)(kept[n].data() - w.min.x - w.min.y * width), 2, 2 * width));
    }
}

template <class Tiled> static void tiles(Tiled& out) {
    for (int ly = 0; ly < out.numYLevels(); ly++)
        for (int lx = 0; lx < out.numXLevels(); lx++)
            if (out.isValidLevel(lx, ly)) out.writeTiles(0, out.numXTiles(lx) - 1, 0, out.numYTiles(ly) - 1, lx, ly);
}

static void write(const Kind& kind) {
    string file = kind.name + ".exr";
    if (kind.light) {
        Header h(kind.display, kind.data);
        h.compression() = kind.compression;
        h.lineOrder() = kind.order;
        RgbaOutputFile out(file.c_str(), h, WRITE_YC);
        Box2i w = kind.data;
        int width = w.max.x - w.min.x + 1;
        vector<Rgba> pixels;
        for (int y = w.min.y; y <= w.max.y; y++)
            for (int x = w.min.x; x <= w.max.x; x++) pixels.push_back(Rgba(value(x, y, 0), value(x, y, 1) / 2, value(x, y, 2) / 4));
        out.setFrameBuffer(pixels.data() - w.min.x - w.min.y * width, 1, width);
        out.writePixels(w.max.y - w.min.y + 1);
        return;
    }
    Header h = header(kind);
    Pixels pixels(h, 0);
    vector<vector<half>> kept;
    halves(pixels, kept);
    if (kind.tile > 0) {
        TiledOutputFile out(file.c_str(), h);
        out.setFrameBuffer(pixels.frame);
        tiles(out);
    } else {
        OutputFile out(file.c_str(), h);
        out.setFrameBuffer(pixels.frame);
        out.writePixels(kind.data.max.y - kind.data.min.y + 1);
    }
}

/** Of each part what a kind says; chunks of all parts by turns. */
static void writeParts(const string& name, vector<Kind> kinds) {
    vector<Header> headers;
    vector<std::unique_ptr<Pixels>> pixels;
    vector<vector<vector<half>>> kept(kinds.size());
    for (size_t i = 0; i < kinds.size(); i++) {
        Header h = header(kinds[i]);
        h.setName(kinds[i].name);
        h.setType(kinds[i].tile > 0 ? TILEDIMAGE : SCANLINEIMAGE);
        headers.push_back(h);
        pixels.emplace_back(new Pixels(h, int(i)));
        halves(*pixels[i], kept[i]);
    }
    MultiPartOutputFile out((name + ".exr").c_str(), headers.data(), int(headers.size()));
    vector<std::unique_ptr<OutputPart>> lines(kinds.size());
    for (size_t i = 0; i < kinds.size(); i++) {
        if (kinds[i].tile > 0) continue;
        lines[i].reset(new OutputPart(out, int(i)));
        lines[i]->setFrameBuffer(pixels[i]->frame);
    }
    for (int y = 0; y < 37; y++)
        for (auto& part : lines)
            if (part) part->writePixels(1);
    for (size_t i = 0; i < kinds.size(); i++) {
        if (kinds[i].tile == 0) continue;
        TiledOutputPart part(out, int(i));
        part.setFrameBuffer(pixels[i]->frame);
        tiles(part);
    }
}

/** Keeps what the library reads of three channels of a part, over the data window. */
static void read(const string& name, int part, vector<string> channels, bool light, const string& as) {
    MultiPartInputFile in((name + ".exr").c_str());
    Header from = in.header(part);
    Box2i w = from.dataWindow();
    long width = w.max.x - w.min.x + 1, height = w.max.y - w.min.y + 1;
    vector<vector<float>> planes(3, vector<float>(width * height));
    if (light) {
        RgbaInputFile rgba((name + ".exr").c_str());
        vector<Rgba> all(width * height);
        rgba.setFrameBuffer(all.data() - w.min.x - w.min.y * width, 1, width);
        rgba.readPixels(w.min.y, w.max.y);
        for (long i = 0; i < width * height; i++) planes[0][i] = all[i].r, planes[1][i] = all[i].g, planes[2][i] = all[i].b;
    } else {
        InputPart input(in, part);
        FrameBuffer frame;
        for (int c = 0; c < 3; c++)
            frame.insert(channels[c], Slice(FLOAT, (char*)(planes[c].data() - w.min.x - w.min.y * width), 4, 4 * width));
        input.setFrameBuffer(frame);
        input.readPixels(w.min.y, w.max.y);
        if (channels[1] == channels[2]) planes[0] = planes[1] = planes[2];
    }
    Header h(from.displayWindow(), w);
    h.compression() = ZIP_COMPRESSION;
    FrameBuffer frame;
    const char* names[] = {"R", "G", "B"};
    vector<vector<half>> small(3);
    for (int c = 0; c < 3; c++) {
        small[c].assign(planes[c].begin(), planes[c].end());
        bool exact = std::equal(planes[c].begin(), planes[c].end(), small[c].begin());
        h.channels().insert(names[c], Channel(exact ? HALF : FLOAT));
        char* base = exact ? (char*)(small[c].data() - w.min.x - w.min.y * width)
                           : (char*)(planes[c].data() - w.min.x - w.min.y * width);
        frame.insert(names[c], Slice(exact ? HALF : FLOAT, base, exact ? 2 : 4, (exact ? 2 : 4) * width));
    }
    OutputFile out((as + "-read.exr").c_str(), h);
    out.setFrameBuffer(frame);
    out.writePixels(int(height));
}

int main() {
    Box2i wide(V2i(-6, -4), V2i(33, 39)), small(V2i(4, 6), V2i(21, 31)), even(V2i(0, 0), V2i(27, 37));
    vector<string> rgb = {"R", "G", "B"}, more = {"R", "G", "B", "A", "Z", "id"};
    vector<Kind> kinds = {
        {"pxr24-half", PXR24_COMPRESSION, HALF, more},
        {"pxr24-float", PXR24_COMPRESSION, FLOAT},
        {"b44-half", B44_COMPRESSION, HALF, {"R", "G", "B", "Z"}},
        {"b44a-linear", B44A_COMPRESSION, HALF, rgb},
        {"dwaa-half", DWAA_COMPRESSION, HALF, more},
        {"dwaa-float", DWAA_COMPRESSION, FLOAT},
        {"dwab-half", DWAB_COMPRESSION},
        {"dwaa-tiles", DWAA_COMPRESSION},
        {"piz-tiles", PIZ_COMPRESSION, HALF, {"R", "G", "B", "id"}},
        {"zip-mipmap", ZIP_COMPRESSION},
        {"rle-ripmap", RLE_COMPRESSION, HALF, {"Y"}},
        {"b44-light", B44_COMPRESSION},
        {"piz-light", PIZ_COMPRESSION},
        {"dwab-light", DWAB_COMPRESSION},
        {"zip-uint", ZIP_COMPRESSION, UINT},
        {"no-tiles-down", NO_COMPRESSION},
        {"zips-windows", ZIPS_COMPRESSION},
    };
    for (Kind& kind : kinds) {
        auto has = [&](const char* part) { return kind.name.find(part) != string::npos; };
        kind.linear = has("linear");
        kind.tile = has("tiles") || has("map") ? 16 : 0;
        kind.levels = has("mipmap") ? MIPMAP_LEVELS : has("ripmap") ? RIPMAP_LEVELS : ONE_LEVEL;
        kind.rounding = has("mipmap") ? ROUND_UP : ROUND_DOWN;
        kind.order = has("down") ? DECREASING_Y : has("piz-tiles") ? RANDOM_Y : INCREASING_Y;
        kind.light = has("light");
        if (kind.light) kind.data = kind.name == "piz-light" ? wide : even;
        if (has("light")) kind.display = kind.name == "piz-light" ? small : kind.name == "dwab-light" ? wide : even;
        if (has("windows")) kind.data = small, kind.display = wide;
        if (has("piz-tiles")) kind.data = wide;
        write(kind);
        read(kind.name, 0, has("ripmap") ? vector<string>{"Y", "Y", "Y"} : rgb, kind.light, kind.name);
    }
    vector<string> view = {"R", "G", "B", "light.R", "light.G", "light.B"};
    writeParts("parts", {
        {"depth", ZIPS_COMPRESSION, HALF, {"Z"}},
        {"left", ZIP_COMPRESSION, HALF, view},
        {"right", PIZ_COMPRESSION, HALF, rgb, Box2i(V2i(0, 0), V2i(28, 36)), Box2i(V2i(0, 0), V2i(28, 36)), 16},
    });
    read("parts", 0, {"Z", "Z", "Z"}, false, "parts-depth");
    read("parts", 1, rgb, false, "parts");
    read("parts", 1, {"light.R", "light.G", "light.B"}, false, "parts-light");
    read("parts", 2, rgb, false, "parts-right");
    return 0;
}
