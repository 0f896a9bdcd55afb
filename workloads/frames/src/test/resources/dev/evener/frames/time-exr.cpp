// What OpenEXR's library takes on one thread, beside ExrTimes, which asks Evener.
//
//   time-exr write IN OUT CODE [TIMES]  the colours of IN as halves, compressed by a number of Compression, side by side and below each
//                                       other so many times
//   time-exr FILE ...                   processor time, the median and the least of two seconds, to floats
//
// g++ -O2 -std=c++17 time-exr.cpp $(pkg-config --cflags --libs OpenEXR) -o time-exr, with Debian's libopenexr-dev.
//
// Both beside each other, in a checkout:
//   mvn -q -pl workloads/frames -am test-compile
//   mvn -q -pl workloads/frames dependency:build-classpath -DincludeScope=test -Dmdep.outputFile=target/classpath
//   cd workloads/frames; exr="java -cp target/classes:target/test-classes:$(cat target/classpath) dev.evener.frames.ExrTimes"
//   $exr ../samples/*.hdr; time-exr write city.exr city-dwaa.exr 8 2; time-exr city-dwaa.exr; $exr city-dwaa.exr
#include <ImfChannelList.h>
#include <ImfCompression.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputFile.h>
#include <ImfOutputFile.h>
#include <ImfThreading.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <half.h>
#include <time.h>
#include <vector>

using namespace Imf;
using std::vector;

struct Picture {
    int width, height;
    vector<float> samples;

    Picture(int w, int h) : width(w), height(h), samples(3L * w * h) {}

    FrameBuffer frame() {
        FrameBuffer frame;
        for (int c = 0; c < 3; c++) {
            char* plane = (char*)(samples.data() + (size_t)c * width * height);
            frame.insert(c == 0 ? "R" : c == 1 ? "G" : "B", Slice(FLOAT, plane, 4, 4 * width));
        }
        return frame;
    }
};

static void read(const char* name, Picture& into) {
    InputFile in(name);
    Imath::Box2i data = in.header().dataWindow();
    int width = data.max.x + 1, height = data.max.y + 1;
    if (width != into.width || height != into.height) into = Picture(width, height);
    in.setFrameBuffer(into.frame());
    in.readPixels(0, height - 1);
}

static void write(const char* from, const char* to, Compression compression, int times) {
    Picture in(0, 0);
    read(from, in);
    int width = in.width * times, height = in.height * times;
    vector<half> samples(3L * width * height);
    Header header(width, height);
    header.compression() = compression;
    FrameBuffer frame;
    for (int c = 0; c < 3; c++) {
        const char* name = c == 0 ? "R" : c == 1 ? "G" : "B";
        half* plane = samples.data() + (size_t)c * width * height;
        const float* source = in.samples.data() + (size_t)c * in.width * in.height;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                plane[(size_t)y * width + x] = source[(size_t)(y % in.height) * in.width + x % in.width];
            }
        }
        header.channels().insert(name, Channel(HALF));
        frame.insert(name, Slice(HALF, (char*)plane, 2, 2 * width));
    }
    OutputFile out(to, header);
    out.setFrameBuffer(frame);
    out.writePixels(height);
}

static double processorTime() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

int main(int count, char** args) {
    setGlobalThreadCount(0);
    if (count > 4 && !strcmp(args[1], "write")) {
        write(args[2], args[3], (Compression)atoi(args[4]), count > 5 ? atoi(args[5]) : 1);
        return 0;
    }
    for (int i = 1; i < count; i++) {
        Picture picture(0, 0);
        vector<double> times;
        for (double all = 0; all < 2000; all += times.back()) {
            double start = processorTime();
            read(args[i], picture);
            times.push_back(processorTime() - start);
        }
        std::sort(times.begin(), times.end());
        printf("%s %.2f ms (least %.2f)\n", args[i], times[times.size() / 2], times[0]);
    }
}
